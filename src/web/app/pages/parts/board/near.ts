import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

const NEAR_PX = 300;
/** Those that have come into sight and have not been told so. */
const waiting: (() => void)[] = [];

/** Whether an element has come into sight, or close to it. Of many that do so at once each has a task of its own to be drawn in. */
export function useNear(ref: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const tell = () => setNear(true);
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        inTurn(tell);
      },
      { rootMargin: `${NEAR_PX}px` },
    );
    if (ref.current !== null) observer.observe(ref.current);
    return () => {
      observer.disconnect();
      const at = waiting.indexOf(tell);
      if (at >= 0) waiting.splice(at, 1);
    };
  }, [ref]);
  return isNear;
}

/** The page paints, and hears keys and clicks, in between. */
function inTurn(tell: () => void): void {
  if (waiting.push(tell) === 1) setTimeout(tellNext);
}

function tellNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setTimeout(tellNext);
}
