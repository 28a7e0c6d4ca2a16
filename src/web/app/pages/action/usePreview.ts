import { useEffect, useState } from "preact/hooks";
import { useLater } from "../../ui/later.ts";
import { loadPreview, type Preview } from "./load.ts";
import type { Step } from "./steps.ts";

interface Previewed {
  /** Of the steps that were asked last; null: none yet. */
  preview: Preview | null;
  isLoading: boolean;
  error: unknown;
}

/** A pause of changes after which events are looked for. */
const PAUSE_MS = 400;

/** The events that steps match, looked for anew when these change; a newer change ends the older calculation. */
export function usePreview(projectId: number, steps: readonly Step[]): Previewed {
  const now = JSON.stringify(steps);
  const text = useLater(now, PAUSE_MS);
  const [state, setState] = useState<Previewed>({ preview: null, isLoading: true, error: undefined });
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    const put = (part: Partial<Previewed>) => !signal.aborted && setState((known) => ({ ...known, ...part }));
    put({ isLoading: true, error: undefined });
    loadPreview(projectId, JSON.parse(text) as Step[], signal)
      .then((preview) => put({ preview, isLoading: false }))
      .catch((error: unknown) => put({ preview: null, isLoading: false, error }));
    return () => control.abort();
  }, [projectId, text]);
  return { ...state, isLoading: state.isLoading || text !== now };
}
