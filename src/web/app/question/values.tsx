import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { invalidate, useData } from "../api/cache.ts";
import { call, type Options } from "../api/client.ts";
import { runQuery } from "../api/query.ts";
import { useLater } from "../ui/later.ts";
import { Problem } from "../ui/notice.tsx";
import { TYPING_MS } from "./definitions.ts";
import { SESSION_KEYS } from "./names.ts";
import { fold } from "./search.ts";

/** Whose values are asked for. */
interface ValuesOf {
  type: string;
  key: string;
  group_type_index?: number;
  /** Only of these events, where there is one. */
  events?: readonly string[];
}

/** A value that was seen; how often, where that is known. */
export interface SeenValue {
  name: string;
  count: number | null;
}

interface Values {
  values: SeenValue[];
  isLoading: boolean;
  /** What stands where they could not be loaded. */
  problem: ComponentChildren;
}

const FRESH_MS = 30_000;
const TAGS = ["a", "button", "input", "select", "textarea", "label", "form"];

/**
 * Values of a property that have what was typed: those in memory at once, further ones of the server when they come. An answer belongs
 * to its text, so a slow one replaces nothing.
 */
export function useValues(projectId: number, of: ValuesOf, typed: string): Values {
  const key = `values/${projectId}/${JSON.stringify([of.type, of.key, of.group_type_index, of.events])}`;
  const settled = useLater(typed.trim(), TYPING_MS);
  const first = useData(key, () => load(projectId, of, ""), FRESH_MS);
  const more = useData(settled === "" ? null : `${key}/${settled}`, () => load(projectId, of, settled), FRESH_MS);
  const values = useMemo(() => {
    const part = fold(typed.trim());
    const all = new Map([...(first.data ?? []), ...(more.data ?? [])].map((value) => [value.name, value]));
    return [...all.values()].filter(({ name }) => fold(name).includes(part));
  }, [first.data, more.data, typed]);
  const failed = [first, more].find(({ data, error }) => data === undefined && error !== undefined);
  const isWaiting = typed.trim() !== settled;
  return {
    values,
    isLoading: (first.isLoading && first.data === undefined) || more.isLoading || isWaiting,
    problem: failed && (
      <Problem error={failed.error} missing="The values cannot be loaded." onRetry={() => invalidate(key)} />
    ),
  };
}

async function load(projectId: number, of: ValuesOf, part: string): Promise<readonly SeenValue[]> {
  const { type, key, group_type_index: index, events = [] } = of;
  const value = part === "" ? undefined : part;
  const params = { project_id: String(projectId) };
  switch (type) {
    case "event":
    case "feature":
      return ofEvents(projectId, {
        key: type === "feature" ? `$feature/${key}` : key,
        value,
        event_name: events.length === 1 ? [...events] : undefined,
      });
    case "event_metadata":
      return ofEvents(projectId, { key, value, is_column: true });
    case "element":
      return ofElements(projectId, key, value);
    case "session":
      return ofSessions(projectId, key);
    case "person":
      return call("GET /api/environments/{project_id}/persons/values/", { params, query: { key, value } });
    case "group": {
      const query = { key, value, group_type_index: (index ?? 0) as 0 };
      return call("GET /api/environments/{project_id}/groups/property_values/", { params, query });
    }
  }
  return [];
}

type EventValues = Options<"GET /api/environments/{project_id}/events/values/">["query"];

async function ofEvents(projectId: number, query: EventValues): Promise<readonly SeenValue[]> {
  const params = { project_id: String(projectId) };
  const values = await call("GET /api/environments/{project_id}/events/values/", { params, query });
  return values.map(({ name }) => ({ name: typeof name === "string" ? name : JSON.stringify(name), count: null }));
}

async function ofElements(projectId: number, key: string, value: string | undefined): Promise<readonly SeenValue[]> {
  if (key === "tag_name") return TAGS.map((name) => ({ name, count: null }));
  if (key === "text") return ofEvents(projectId, { key: "$el_text", value, event_name: ["$autocapture"] });
  if (key !== "href") return [];
  return ofHogql(
    projectId,
    "SELECT elements_chain_href AS value, count() FROM events WHERE event = '$autocapture' AND value != '' AND timestamp > now() - INTERVAL 7 DAY GROUP BY value ORDER BY count() DESC, value LIMIT 100",
  );
}

/** Only fields of sessions get into the text. */
async function ofSessions(projectId: number, key: string): Promise<readonly SeenValue[]> {
  if (!SESSION_KEYS.includes(key)) return [];
  return ofHogql(
    projectId,
    `SELECT toString(${key}) AS value, count() FROM sessions WHERE $start_timestamp > now() - INTERVAL 7 DAY GROUP BY value ORDER BY count() DESC, value LIMIT 100`,
  );
}

async function ofHogql(projectId: number, query: string): Promise<readonly SeenValue[]> {
  const { signal } = new AbortController();
  const { results } = await runQuery(projectId, { kind: "HogQLQuery", query }, { signal });
  return (results as [string | null, number][]).flatMap(([name, count]) =>
    name === null || name === "" ? [] : [{ name, count }],
  );
}
