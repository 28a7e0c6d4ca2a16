import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

/** The end of a list of which there is more: it loads that when it comes near the window, or is pressed. */
export function End({ onSeen }: { onSeen(): void }) {
  const ref = useRef<HTMLDivElement>(null);
  const seen = useRef(onSeen);
  seen.current = onSeen;
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && seen.current(), {
      rootMargin: "600px",
    });
    if (ref.current !== null) watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={ref} class="list-end">
      <Button look="quiet" onClick={onSeen}>
        Show more
      </Button>
    </div>
  );
}
