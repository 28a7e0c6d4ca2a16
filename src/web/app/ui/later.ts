import { useEffect, useState } from "preact/hooks";

/** A value as it was when it had last stayed the same for a while: what is typed is asked for in the pauses. */
export function useLater<T>(value: T, pauseMs: number): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return late;
}
