import type { DateRange, EntityNode, PropertyFilter } from "../../question/types.ts";
import { listInAddress, objectsInAddress } from "../parts/events/addressList.ts";

/** Which events are shown, and what of them. All of it stands in the address. */
export interface Shown {
  entity: EntityNode;
  /** All must hold. */
  filters: readonly PropertyFilter[];
  /** Properties of events that have a column. */
  columns: readonly string[];
  /** The time whose events are shown; null: those that come. */
  past: DateRange | null;
}

const ALL: EntityNode = { kind: "EventsNode", event: null };
const COLUMNS_MAX = 8;

type Query = Readonly<Record<string, string>>;

/** What the address asks to be shown. */
export function readShown({ event, action, name, filters = "", columns = "", from, to }: Query): Shown {
  const texts = listInAddress(columns).filter((one): one is string => typeof one === "string" && one !== "");
  return {
    entity: entityIn(event, action, name),
    filters: objectsInAddress(filters),
    columns: [...new Set(texts)].slice(0, COLUMNS_MAX),
    past: from === undefined ? null : { date_from: from, date_to: to ?? null },
  };
}

function entityIn(event: string | undefined, action: string | undefined, name: string | undefined): EntityNode {
  const id = Number(action);
  if (action !== undefined && Number.isSafeInteger(id)) return { kind: "ActionsNode", id, ...(name && { name }) };
  return event === undefined ? ALL : { kind: "EventsNode", event };
}

/** The address of the page, with what is shown. */
export function addressOf(path: string, { entity, filters, columns, past }: Shown): string {
  const query = new URLSearchParams();
  if (entity.kind === "ActionsNode") {
    query.set("action", String(entity.id));
    if (entity.name !== undefined) query.set("name", entity.name);
  } else if (typeof entity.event === "string") query.set("event", entity.event);
  if (filters.length > 0) query.set("filters", JSON.stringify(filters));
  if (columns.length > 0) query.set("columns", JSON.stringify(columns));
  if (past !== null) {
    query.set("from", past.date_from ?? "-24h");
    if (past.date_to) query.set("to", past.date_to);
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Whether some events are left out. */
export const isNarrowed = ({ entity, filters }: Shown): boolean =>
  filters.length > 0 || entity.kind === "ActionsNode" || typeof entity.event === "string";

/** Whether another column has a place. */
export const hasRoom = ({ columns }: Shown): boolean => columns.length < COLUMNS_MAX;
