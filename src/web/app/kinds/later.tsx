import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadChunk } from "../ui/chunk.ts";
import { Problem } from "../ui/notice.tsx";

/** A component whose script is loaded when it is first shown; until then its place is empty. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [Part, setPart] = useState<ComponentType<P> | undefined>(() => loaded);
    const [problem, setProblem] = useState<unknown>();
    useEffect(() => {
      if (loaded !== undefined) return;
      loadChunk(load).then((part) => {
        loaded = part;
        setPart(() => part);
      }, setProblem);
    }, []);
    if (problem !== undefined) return <Problem error={problem} onRetry={() => window.location.reload()} />;
    return Part === undefined ? null : <Part {...props} />;
  };
}
