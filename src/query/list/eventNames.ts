import { call, compare, constant, field, orderBy } from "../hogql/syntax/build.ts";
import type { QueryContext } from "../source/context.ts";
import { atMs, formatIso } from "../time/zone.ts";
import { listingTree, runListing } from "./listing.ts";

/** How many names at most. */
const MAX_NAMES = 10_000;

/**
 * How many events of each name there were on the last `days` days and today, by the project's calendar. Whole days are
 * asked for, so that the events by day tell it. Errors: those of `Lake.query`.
 */
export async function eventVolumes(days: number, context: QueryContext): Promise<Map<string, number>> {
  const today = atMs(context.nowMs, context.timezone).startOfDay();
  const at = (day: Temporal.ZonedDateTime) => constant(formatIso(day));
  const timestamp = field("timestamp");
  const where = [
    compare(timestamp, ">=", at(today.subtract({ days }).startOfDay())),
    compare(timestamp, "<", at(today.add({ days: 1 }).startOfDay())),
  ];
  const [name, count] = [field("event"), call("count")];
  const orders = [orderBy(count, "DESC"), orderBy(name)];
  const page = { limit: MAX_NAMES, offset: 0 };
  const tree = listingTree({ table: "events", select: [name, count], where, isGrouped: true, orders, ...page });
  const { results } = await runListing(tree, context);
  return new Map(results.map(([event, events]) => [String(event), Number(events)]));
}
