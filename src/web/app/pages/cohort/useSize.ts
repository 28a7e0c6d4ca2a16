import { useEffect, useState } from "preact/hooks";
import { type Answer, call } from "../../api/client.ts";
import { useLater } from "../../ui/later.ts";
import type { Criteria } from "./criteria.ts";

type CohortSize = Answer<"POST /api/environments/{project_id}/cohorts/size/">;

interface Size {
  /** Of the conditions that were counted last; null: none yet. */
  size: CohortSize | null;
  isLoading: boolean;
  error: unknown;
}

/** A pause of changes after which persons are counted. */
const PAUSE_MS = 400;

/** How many persons meet conditions, counted anew when these change; a newer change ends the older calculation. */
export function useSize(projectId: number, criteria: Criteria): Size {
  const text = useLater(JSON.stringify(criteria), PAUSE_MS);
  const [state, setState] = useState<Size>({ size: null, isLoading: true, error: undefined });
  useEffect(() => {
    const properties = JSON.parse(text) as Criteria;
    if (properties.values.length === 0) return setState({ size: null, isLoading: false, error: undefined });
    const control = new AbortController();
    const { signal } = control;
    const put = (part: Partial<Size>) => !signal.aborted && setState((known) => ({ ...known, ...part }));
    put({ isLoading: true, error: undefined });
    call("POST /api/environments/{project_id}/cohorts/size/", {
      params: { project_id: String(projectId) },
      body: { filters: { properties: properties as never } },
      signal,
    })
      .then((size) => put({ size, isLoading: false }))
      .catch((error: unknown) => put({ size: null, isLoading: false, error }));
    return () => control.abort();
  }, [projectId, text]);
  return { ...state, isLoading: state.isLoading || text !== JSON.stringify(criteria) };
}
