import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadChunk } from "./chunk.ts";
import { Problem } from "./notice.tsx";

/** A component whose script is loaded when it is first shown; until then its place has what waits there, or nothing. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [Part, setPart] = useState<ComponentType<P> | undefined>(() => loaded);
    const [problem, setProblem] = useState<unknown>();
    useEffect(() => {
      if (loaded !== undefined || problem !== undefined) return;
      loadChunk(load).then((part) => {
        loaded = part;
        setPart(() => part);
      }, setProblem);
    }, [problem]);
    if (problem !== undefined) return <Problem error={problem} onRetry={() => setProblem(undefined)} />;
    if (Part !== undefined) return <Part {...props} />;
    return Waiting === undefined ? null : <Waiting {...props} />;
  };
}
