import { type Known, useData } from "../api/cache.ts";
import { call } from "../api/client.ts";
import type { EventDefinition, PropertyDefinition } from "../api/schema.ts";
import { useLater } from "../ui/later.ts";
import {
  type ActionDef,
  actionOf,
  COLUMN_PROPERTIES,
  type CohortDef,
  cohortOf,
  type EventDef,
  eventOf,
  type GroupTypeDef,
  groupTypeOf,
  type PropertyDef,
  propertyOf,
} from "./definition.ts";
import { sessionFieldType } from "./names.ts";
import type { ValueType } from "./operators.ts";
import type { Findable } from "./search.ts";
import type { PickedProperty } from "./types.ts";

/** A list of a project. Where it is not complete the server knows more. */
export interface Listed<T> {
  items: readonly T[];
  isComplete: boolean;
}

const PAGE = 1_000;
const PAGES_MAX = 3;
const FRESH_MS = 60_000;

type Page<T> = { results: readonly T[]; next: string | null };

/** A whole list, or its first some thousand. */
async function listed<A, T>(load: (offset: number) => Promise<Page<A>>, read: (answer: A) => T): Promise<Listed<T>> {
  const items: T[] = [];
  for (let page = 0; ; page++) {
    const { results, next } = await load(page * PAGE);
    for (const result of results) items.push(read(result));
    if (next === null) return { items, isComplete: true };
    if (page + 1 === PAGES_MAX) return { items, isComplete: false };
  }
}

/** Loaded once and kept for a minute. */
function useListed<T>(key: string | null, load: () => Promise<Listed<T>>): Known<Listed<T>> {
  return useData(key, load, FRESH_MS);
}

const listKey = (projectId: number | null, name: string) =>
  projectId === null ? null : `definitions/${projectId}/${name}`;

/** Events of a project, the most frequent first; null loads nothing, here and below. */
export function useEvents(projectId: number | null): Known<Listed<EventDef>> {
  return useListed(listKey(projectId, "events"), () =>
    listed((offset) => loadEvents(projectId ?? 0, { limit: PAGE, offset }), eventOf).then(byWeight),
  );
}

/** The actions of a project. */
export function useActions(projectId: number | null): Known<Listed<ActionDef>> {
  const params = { project_id: String(projectId) };
  return useListed(listKey(projectId, "actions"), () =>
    listed(
      (offset) => call("GET /api/environments/{project_id}/actions/", { params, query: { limit: PAGE, offset } }),
      actionOf,
    ),
  );
}

/** The cohorts of a project. */
export function useCohorts(projectId: number | null): Known<Listed<CohortDef>> {
  const params = { project_id: String(projectId) };
  return useListed(listKey(projectId, "cohorts"), () =>
    listed(
      (offset) => call("GET /api/environments/{project_id}/cohorts/", { params, query: { limit: PAGE, offset } }),
      cohortOf,
    ),
  );
}

/** The types of groups of a project. */
export function useGroupTypeList(projectId: number | null): Known<readonly GroupTypeDef[]> {
  const params = { project_id: String(projectId) };
  return useData(
    listKey(projectId, "groups"),
    async () => (await call("GET /api/environments/{project_id}/groups_types/", { params })).map(groupTypeOf),
    FRESH_MS,
  );
}

const NO_TYPES: readonly GroupTypeDef[] = [];

/** The same where those that are missing are told elsewhere; none until they are loaded. */
export const useGroupTypes = (projectId: number | null): readonly GroupTypeDef[] =>
  useGroupTypeList(projectId).data ?? NO_TYPES;

/** Properties of events, persons, or of one type of groups; null loads nothing. */
export function useProperties(
  projectId: number,
  owner: "event" | "person" | "group" | null,
  groupTypeIndex?: number,
): Known<Listed<PropertyDef>> {
  const key = owner === null ? null : `definitions/${projectId}/properties/${owner}/${groupTypeIndex ?? ""}`;
  return useListed(key, () =>
    listed(
      (offset) => loadProperties(projectId, owner ?? "event", groupTypeIndex, { limit: PAGE, offset }),
      propertyOf,
    ).then(byWeight),
  );
}

/** The names of properties that some events were seen with; null while that is not known, or nobody says. */
export function usePropertiesOf(projectId: number, events: readonly string[]): ReadonlySet<string> | null {
  const key = events.length === 0 ? null : `definitions/${projectId}/propertiesOf/${JSON.stringify(events)}`;
  const { data } = useData(
    key,
    async () => {
      const query = { limit: PAGE, offset: 0, event_names: JSON.stringify(events) };
      const { results } = await loadProperties(projectId, "event", undefined, query);
      const seen = results.filter((one) => one.is_seen_on_filtered_events === true);
      return new Set(seen.map(({ name }) => name));
    },
    FRESH_MS,
  );
  return data === undefined || data.size === 0 ? null : data;
}

/** What a property that was picked holds. */
export function useValueType(projectId: number, property: PickedProperty | null): ValueType {
  const { type, key, group_type_index: index } = property ?? { type: "hogql", key: "" };
  const isListed = type === "event" || type === "person" || type === "group";
  const { data } = useProperties(projectId, isListed ? (type as "event") : null, index);
  if (type === "session") return sessionFieldType(key);
  if (!isListed) return COLUMN_PROPERTIES.find((one) => type === one.type && one.key === key)?.valueType ?? null;
  return data?.items.find((one) => one.key === key)?.valueType ?? null;
}

/** A pause of typing after which the server is asked. */
export const TYPING_MS = 150;

/**
 * What the server finds for a typed text where the loaded list is not complete. It never holds up what is found in memory: the
 * answer belongs to its text, so a slow one replaces nothing.
 */
export function useMoreEvents(projectId: number, typed: string, isNeeded: boolean): Known<readonly EventDef[]> {
  const text = useLater(typed.trim(), TYPING_MS);
  const key = isNeeded && text !== "" ? `found/${projectId}/events/${text}` : null;
  return useData(key, async () => {
    const { results } = await loadEvents(projectId, { limit: 100, offset: 0, search: text });
    return results.map(eventOf);
  });
}

/** The same for properties. */
export function useMoreProperties(
  projectId: number,
  owner: "event" | "person",
  typed: string,
  isNeeded: boolean,
): Known<readonly PropertyDef[]> {
  const text = useLater(typed.trim(), TYPING_MS);
  const key = isNeeded && text !== "" ? `found/${projectId}/properties/${owner}/${text}` : null;
  return useData(key, async () => {
    const query = { limit: 100, offset: 0, search: text };
    const { results } = await loadProperties(projectId, owner, undefined, query);
    return results.map(propertyOf);
  });
}

/** Both lists, without those that are in the first. */
export function joined<T extends Findable>(loaded: readonly T[], found: readonly T[] | undefined): readonly T[] {
  if (found === undefined || found.length === 0) return loaded;
  const known = new Set(loaded.map(({ key }) => key));
  return [...loaded, ...found.filter(({ key }) => !known.has(key))];
}

interface ListQuery {
  limit: number;
  offset: number;
  search?: string;
  event_names?: string;
}

function loadEvents(projectId: number, query: ListQuery): Promise<Page<EventDefinition>> {
  return call("GET /api/environments/{project_id}/event_definitions/", {
    params: { project_id: String(projectId) },
    query: { ...query, exclude_hidden: true, ordering: "-volume_30_day" },
  });
}

function loadProperties(
  projectId: number,
  type: "event" | "person" | "group",
  index: number | undefined,
  query: ListQuery,
): Promise<Page<PropertyDefinition>> {
  return call("GET /api/environments/{project_id}/property_definitions/", {
    params: { project_id: String(projectId) },
    query: { ...query, type, group_type_index: index as 0 | undefined, exclude_hidden: true },
  });
}

/** The weightiest first, then by name. */
function byWeight<T extends Findable>(list: Listed<T>): Listed<T> {
  const items = [...list.items].sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0) || compare(a.label, b.label));
  return { ...list, items };
}

const compare = new Intl.Collator("en", { sensitivity: "base", numeric: true }).compare;
