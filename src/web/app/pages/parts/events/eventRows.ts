import { call } from "../../../api/client.ts";
import type { Page } from "../../../api/page.ts";
import type { EntityNode } from "../../../question/types.ts";
import type { EventRow } from "./eventRow.ts";
import { conditionsOf, type Subject } from "./subject.ts";

/** What `rowOf` reads. */
export const EVENT_COLUMNS = [
  "uuid",
  "event",
  "timestamp",
  "distinct_id",
  "properties.$current_url",
  "properties.$screen_name",
  "elements_chain_texts",
];
const PAGE = 100;

/** A page of the events of a subject, the newest first, behind a cursor (docs/queries.md, "EventsQuery"). Throws ApiError. */
export async function loadEventRows(
  projectId: number,
  { subject, entity, before }: { subject: Subject; entity: EntityNode | null; before: string | null },
  signal: AbortSignal,
): Promise<Page<EventRow, string>> {
  const { rows, next } = await eventRows(
    projectId,
    { ...conditionsOf(subject), ...kindOf(entity), select: EVENT_COLUMNS, limit: PAGE, before },
    signal,
  );
  return { items: rows.map(rowOf), next };
}

interface Asked {
  select: readonly string[];
  where?: string;
  orderBy?: string;
  limit: number;
  before?: string | null;
  after?: string;
  [condition: string]: unknown;
}

/** Rows of events, and the cursor of the next page. Throws ApiError. */
export async function eventRows(
  projectId: number,
  { select, before, ...asked }: Asked,
  signal?: AbortSignal,
): Promise<{ rows: unknown[][]; next: string | null }> {
  const answer = await call("GET /api/environments/{project_id}/events/", {
    params: { project_id: String(projectId) },
    query: { ...asked, select: JSON.stringify(select), before: before ?? undefined },
    signal,
  });
  const next = answer.next === null ? null : new URL(answer.next).searchParams.get("before");
  return { rows: answer.results as unknown[][], next };
}

/** What the list of events is asked, so that it has only those of an event or an action. */
export function kindOf(entity: EntityNode | null): Record<string, string> {
  if (entity === null) return {};
  if (entity.kind === "ActionsNode") return { action_id: String(entity.id) };
  return typeof entity.event === "string" ? { event: entity.event } : {};
}

/** The row that columns make. */
export function rowOf([uuid, event, at, distinctId, url, screen, clicked]: unknown[]): EventRow {
  return {
    uuid: String(uuid),
    event: String(event),
    at: new Date(String(at)).toISOString(),
    distinctId: String(distinctId),
    place: text(url) ?? text(screen),
    clicked: Array.isArray(clicked) ? text(clicked[0]) : null,
  };
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
