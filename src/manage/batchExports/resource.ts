import { boundaryUpTo, isOfCalendar } from "../../export/mod.ts";
import {
  type BatchExport,
  blankBatchExport,
  cancelRun,
  changeTimeMs,
  createBatchExport,
  findBatchExport,
  latestRuns,
  listBatchExports,
  openRuns,
  setNextFrom,
  updateBatchExport,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { type FieldValues, required } from "../http/fields.ts";
import { held } from "../resource/held.ts";
import { Resource } from "../resource/resource.ts";
import { apiValues } from "../resource/shape.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { checkHogql } from "./checkHogql.ts";
import { keptDestination } from "./destination.ts";
import { EXPORT_FIELDS } from "./fields.ts";
import { EXPORT } from "./shapes.ts";

const LATEST_RUNS = 10;

type Values = FieldValues<typeof EXPORT_FIELDS>;

const find = (tx: Tx, { params, environment }: EnvironmentCall): Promise<BatchExport | null> =>
  findBatchExport(tx, environment.id, params.id ?? "");

/** Batch exports that run again and again. */
export const EXPORTS: Resource<BatchExport, Values> = new Resource({
  noun: "batch export",
  path: "batch_exports",
  scope: "batch_export",
  log: "BatchExport",
  summaries: {
    list: "List the batch exports",
    change: "Change a batch export; secrets that the body does not name stay",
    remove: "Delete a batch export; what it has exported stays where it is",
  },
  fields: EXPORT_FIELDS,
  requires: ["name", "destination", "interval"],
  schema: EXPORT.schema,
  order: "-created_at_ms",
  find,
  hold: held("batch_exports", find),
  list: (tx, { environment }, page) => listBatchExports(tx, environment.id, page),
  async prepare(call, values) {
    await checkHogql(call, { model: values.model ?? "events", hogqlQuery: values.hogql_query ?? null });
    return values;
  },
  async make(tx, call, values) {
    const { deps, environment, caller, nowMs } = call;
    const blank = blankBatchExport(environment.id, nowMs);
    const wanted = withValues({ ...blank, createdBy: caller.user.id }, values);
    checkCycle(wanted, values);
    wanted.destination = await keptDestination(deps, wanted.id, required("destination", values.destination), null);
    checkModel(wanted);
    if (wanted.paused) wanted.lastPausedAtMs = nowMs;
    // The first interval is the one that the export is made in, or that it starts in.
    wanted.nextFromMs = boundaryUpTo(Math.max(nowMs, wanted.startAtMs ?? nowMs), wanted);
    return createBatchExport(tx, wanted);
  },
  async change(tx, call, before, values) {
    const after = withValues(before, values);
    checkCycle(after, values);
    if (values.hogql_query !== undefined || values.model !== undefined) await checkHogql(call, after);
    if (values.destination !== undefined) {
      after.destination = await keptDestination(call.deps, before.id, values.destination, before.destination);
    }
    checkModel(after);
    after.lastUpdatedAtMs = changeTimeMs(before.lastUpdatedAtMs, call.nowMs);
    if (after.paused && !before.paused) after.lastPausedAtMs = call.nowMs;
    await updateBatchExport(tx, after);
    // What was over while it was paused is left out.
    if (before.paused && !after.paused) await setNextFrom(tx, after.id, boundaryUpTo(call.nowMs, after));
    return { after };
  },
  async remove(tx, { nowMs }, item) {
    await updateBatchExport(tx, { ...item, deleted: true, lastUpdatedAtMs: nowMs });
    for (const id of await openRuns(tx, { exportId: item.id })) await cancelRun(tx, id, nowMs);
  },
  nameOf: ({ name }) => name,
  logged: (_tx, item) => loggedOf(item),
  async show(tx, _call, items) {
    const runs = await latestRuns(
      tx,
      items.map(({ id }) => id),
      LATEST_RUNS,
    );
    return items.map((item) => EXPORT.show(item, { runs }));
  },
});

/** The members that the log compares; of secrets only that they were changed. */
function loggedOf(item: BatchExport): JsonObject {
  const names = [
    "name",
    "model",
    "interval",
    "paused",
    "filters",
    "timezone",
    "offset_day",
    "offset_hour",
    "hogql_query",
  ];
  const { type, config, secrets } = item.destination;
  return { ...apiValues(item, names), destination: { type, config }, destination_secret: secrets };
}

const OPTIONS = ["hogql_modifiers", "primary_key", "version_key", "incremental_mode"] as const;

function withValues(before: BatchExport, values: Values): BatchExport {
  const given = OPTIONS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  const interval = values.interval ?? before.interval;
  const offsets = offsetsOf(interval, before, values);
  return {
    ...before,
    name: values.name ?? before.name,
    model: values.model === undefined ? before.model : (values.model ?? "events"),
    interval,
    paused: values.paused ?? before.paused,
    startAtMs: values.start_at === undefined ? before.startAtMs : values.start_at,
    endAtMs: values.end_at === undefined ? before.endAtMs : values.end_at,
    hogqlQuery: values.hogql_query === undefined ? before.hogqlQuery : values.hogql_query,
    options: { ...before.options, ...Object.fromEntries(given) },
    filters: values.filters === undefined ? before.filters : values.filters,
    timezone: values.timezone === undefined ? before.timezone : (values.timezone ?? "UTC"),
    ...offsets,
  };
}

/** Days have an hour, weeks a day and an hour. */
function offsetsOf(interval: string | null, before: BatchExport, values: Values) {
  const hour = values.offset_hour === undefined ? before.offsetHour : values.offset_hour;
  const day = values.offset_day === undefined ? before.offsetDay : values.offset_day;
  return {
    offsetHour: isOfCalendar(interval) ? hour : null,
    offsetDay: interval === "week" ? day : null,
  };
}

function checkCycle({ interval, startAtMs, endAtMs }: BatchExport, values: Values): void {
  if (interval !== "week" && values.offset_day != null) {
    throw invalidField("offset_day", "invalid_input", "offset_day is not applicable for non-weekly intervals");
  }
  if (!isOfCalendar(interval) && values.offset_hour != null) {
    throw invalidField("offset_hour", "invalid_input", "offset_hour is not applicable for non-daily/weekly intervals");
  }
  if (startAtMs !== null && endAtMs !== null && startAtMs >= endAtMs) {
    throw invalidField("end_at", "invalid_input", "'end_at' must be after 'start_at'");
  }
}

function checkModel({ model, filters, destination }: BatchExport): void {
  if (destination.type === "HTTP" && model !== "events") {
    throw invalidField(null, "invalid_input", "HTTP batch exports only support the events model");
  }
  if (filters === null || (Array.isArray(filters) && filters.length === 0)) return;
  if (!Array.isArray(filters))
    throw invalidField("filters", "invalid_input", "'filters' should be an array of filters");
  throw invalidField("filters", "invalid_input", "Weir has no filters by properties for exports: use the model hogql.");
}
