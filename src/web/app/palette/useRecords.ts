import { useMemo } from "preact/hooks";
import { useData } from "../api/cache.ts";
import { call } from "../api/client.ts";
import { useActions, useCohorts, useEvents, useProperties } from "../question/definitions.ts";
import { may } from "../session/rights.ts";
import type { Section } from "./groups.ts";
import { actionOf, cohortOf, dashboardOf, eventOf, insightOf, propertyOf } from "./records.ts";
import type { Target } from "./target.ts";

/** What is loaded of a list at once. */
const LIMIT = 1_000;
const FRESH_MS = 60_000;

interface Records {
  targets: readonly Target[];
  /** Sections of which the server knows more. */
  incomplete: ReadonlySet<Section>;
  isLoading: boolean;
}

/** What the project has, as far as it fits into a list here. Definitions are loaded once something was typed. */
export function useRecords(projectId: number, isTyped: boolean): Records {
  const params = { project_id: String(projectId) };
  const keyOf = (name: string, isWanted: boolean) => (isWanted ? `palette/${projectId}/${name}` : null);
  const dashboards = useData(
    keyOf("dashboards", may("dashboard:read")),
    () =>
      call("GET /api/environments/{project_id}/dashboards/", {
        params,
        query: { limit: LIMIT, order: "-last_modified_at" },
      }),
    FRESH_MS,
  );
  const insights = useData(
    keyOf("insights", may("insight:read")),
    () =>
      call("GET /api/environments/{project_id}/insights/", {
        params,
        query: { basic: true, saved: true, limit: LIMIT, order: "-last_modified_at" },
      }),
    FRESH_MS,
  );
  const mayNow = (scope: Parameters<typeof may>[0]) => isTyped && may(scope);
  const cohorts = useCohorts(mayNow("cohort:read") ? projectId : null);
  const actions = useActions(mayNow("action:read") ? projectId : null);
  const events = useEvents(mayNow("event_definition:read") ? projectId : null);
  const isOfProperties = mayNow("property_definition:read");
  const ofEvents = useProperties(projectId, isOfProperties ? "event" : null);
  const ofPersons = useProperties(projectId, isOfProperties ? "person" : null);
  const all = [dashboards, insights, cohorts, actions, events, ofEvents, ofPersons];
  return useMemo(() => {
    const incomplete = new Set<Section>();
    if (dashboards.data !== undefined && dashboards.data.next !== null) incomplete.add("Dashboards");
    if (insights.data !== undefined && insights.data.next !== null) incomplete.add("Insights");
    if (events.data?.isComplete === false) incomplete.add("Events");
    if ([ofEvents, ofPersons].some(({ data }) => data?.isComplete === false)) incomplete.add("Properties");
    return {
      targets: [
        ...(dashboards.data?.results ?? []).map((one) => dashboardOf(projectId, one)),
        ...(insights.data?.results ?? []).map((one) => insightOf(projectId, one)),
        ...(cohorts.data?.items ?? []).map((one) => cohortOf(projectId, one)),
        ...(actions.data?.items ?? []).map((one) => actionOf(projectId, one)),
        ...(events.data?.items ?? []).map((one) => eventOf(projectId, one)),
        ...[ofEvents, ofPersons].flatMap(({ data }) => data?.items ?? []).map((one) => propertyOf(projectId, one)),
      ],
      incomplete,
      isLoading: all.some(({ isLoading, data }) => isLoading && data === undefined),
    };
  }, [projectId, ...all.map(({ data }) => data), ...all.map(({ isLoading }) => isLoading)]);
}
