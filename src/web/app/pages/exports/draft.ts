import type { Api, BatchExport } from "../../api/schema.ts";
import {
  configOf,
  DESTINATIONS,
  type Destination,
  destinationOf,
  type Model,
  namesIn,
  namesText,
  type Values,
  valuesOf,
} from "./destinations.ts";
import type { Interval } from "./words.ts";

/** A batch export as its form has it. */
export interface Draft {
  name: string;
  model: Model;
  destination: Destination;
  values: Values;
  interval: Interval;
  hour: number;
  day: number;
  /** Names of events, one a line. */
  include: string;
  exclude: string;
  query: string;
}

const QUERY = `select event, timestamp, distinct_id
from events
where created_at >= {data_interval_start} and created_at < {data_interval_end}`;

/** What a form begins with. */
export function draftOf(saved: BatchExport | null): Draft {
  const destination = (saved === null ? undefined : destinationOf(saved.destination.type)) ?? DESTINATIONS[0]!;
  const config = saved?.destination.config ?? null;
  return {
    name: saved?.name ?? "",
    model: (saved?.model as Model | undefined) ?? "events",
    destination,
    values: valuesOf(destination, config),
    interval: (saved?.interval as Interval | undefined) ?? "hour",
    hour: saved?.offset_hour ?? 0,
    day: saved?.offset_day ?? 0,
    include: namesText(config?.include_events),
    exclude: namesText(config?.exclude_events),
    query: saved?.hogql_query ?? QUERY,
  };
}

/** The draft with another destination, which may not take what is exported. */
export function withDestination(draft: Draft, destination: Destination): Draft {
  const model = destination.models.includes(draft.model) ? draft.model : destination.models[0]!;
  return { ...draft, destination, model, values: valuesOf(destination, null) };
}

/** The destination as the API takes it. */
export function wishOf({ destination, values, model, include, exclude }: Draft, saved: BatchExport | null) {
  const config = configOf(destination, values, saved !== null);
  const names = { include_events: namesIn(include), exclude_events: namesIn(exclude) };
  // A saved list that is emptied is null; a new one is not named.
  const lists = Object.entries(names).filter(([, list]) => model === "events" && (list !== null || saved !== null));
  return { type: saved?.destination.type ?? destination.type, config: { ...config, ...Object.fromEntries(lists) } };
}

type Body = Api["POST /api/environments/{project_id}/batch_exports/"]["options"]["body"];

/** The whole as the API takes it. `zone`: by whose clock days and weeks begin. */
export function bodyOf(draft: Draft, saved: BatchExport | null, zone: string): Body {
  const { name, model, interval, hour, day, query } = draft;
  const isOfCalendar = interval === "day" || interval === "week";
  return {
    name: name.trim(),
    model,
    destination: wishOf(draft, saved),
    interval,
    timezone: saved?.timezone ?? zone,
    ...(isOfCalendar && { offset_hour: hour }),
    ...(interval === "week" && { offset_day: day }),
    ...(model === "hogql" && { hogql_query: query }),
  };
}
