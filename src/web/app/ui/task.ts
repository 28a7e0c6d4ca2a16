import { useState } from "preact/hooks";
import { messageOf } from "./notice.tsx";
import { toast } from "./toast.tsx";

type Act = () => Promise<unknown> | undefined;

/** Does something, and says so in a corner where it fails. Whether it was done. */
export async function told(act: Act): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast(messageOf(error), { isProblem: true });
    return false;
  }
}

interface Task {
  isBusy: boolean;
  /** What it failed with the last time. */
  error: unknown;
  /** The same in words; null: it did not fail. */
  problem: string | null;
  /** Does it; whether it was done. */
  run(act: Act): Promise<boolean>;
}

/** What a button starts: whether it is under way, and what it failed with. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (act: Act) => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, problem: error === undefined ? null : messageOf(error), run };
}
