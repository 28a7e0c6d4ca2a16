import { useMemo } from "preact/hooks";
import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { DatabaseSchemaQueryAnswer } from "../../api/schema.ts";
import type { PropertyDef } from "../../question/definition.ts";
import { useEvents, useGroupTypeList, useProperties } from "../../question/definitions.ts";
import type { Known, SqlProperty } from "./known.ts";

const FRESH_MS = 600_000;
const GROUP_TYPES = [0, 1, 2, 3, 4] as const;

export interface Names {
  /** Those that are not loaded are missing. */
  known: Known;
  isLoading: boolean;
  /** Why some are missing. */
  error: unknown;
  /** Asks again for what is missing. */
  again(): void;
}

/** All names that SQL of a project can have. */
export function useKnown(projectId: number): Names {
  const schema = useData(`sql/schema/${projectId}`, () => loadTables(projectId), FRESH_MS);
  const events = useEvents(projectId);
  const event = useProperties(projectId, "event");
  const person = useProperties(projectId, "person");
  const groupTypes = useGroupTypeList(projectId);
  const types = groupTypes.data?.map(({ index }) => index) ?? [];
  // Hooks stand in one order: all five are there, those without a type load nothing.
  const groups = GROUP_TYPES.map((index) => useProperties(projectId, types.includes(index) ? "group" : null, index));
  const lists = [schema, events, event, person, groupTypes, ...groups];
  const known = useMemo(
    () => ({
      tables: schema.data ?? {},
      properties: {
        event: propertiesOf(event.data?.items),
        person: propertiesOf(person.data?.items),
        group: Object.fromEntries(GROUP_TYPES.map((index) => [index, propertiesOf(groups[index]?.data?.items)])),
      },
      events: (events.data?.items ?? []).map(({ key }) => key),
    }),
    lists.map(({ data }) => data),
  );
  return {
    known,
    isLoading: lists.some(({ isLoading }) => isLoading),
    error: lists.find(({ error }) => error !== undefined)?.error,
    again: () => {
      for (const prefix of [`sql/schema/${projectId}`, `definitions/${projectId}/`]) invalidate(prefix);
    },
  };
}

const propertiesOf = (items: readonly PropertyDef[] | undefined): readonly SqlProperty[] =>
  (items ?? []).map(({ key, valueType }) => ({ key, type: valueType }));

async function loadTables(projectId: number): Promise<DatabaseSchemaQueryAnswer["tables"]> {
  const params = { project_id: String(projectId) };
  const body = { query: { kind: "DatabaseSchemaQuery" } } as never;
  const answer = await call("POST /api/environments/{project_id}/query/", { params, body });
  return (answer as DatabaseSchemaQueryAnswer).tables;
}
