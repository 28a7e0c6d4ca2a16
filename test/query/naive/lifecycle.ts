import type { TestEvent } from "../../support/memoryLake.ts";
import { MINUTE_MS, wallOf } from "./clock.ts";
import { passes } from "./filters.ts";
import { actorOf, isMeant, type NaiveSeries } from "./math.ts";
import { bucketsOf, type Interval, type NaiveBucket, type NaiveRange, periodOf } from "./periods.ts";
import { type NaiveFilter, personOf, propertiesOf, type World } from "./world.ts";

// A LifecycleQuery by plain loops over actors and buckets (docs/queries.md#lifecyclequery).

export interface NaiveLifecycle {
  series: [NaiveSeries];
  interval: Interval;
  dateRange: NaiveRange;
  properties: NaiveFilter[];
  filterTestAccounts: boolean;
  aggregation_group_type_index: number | null;
}

export interface NaiveLifecycleAnswer {
  days: string[];
  /** By status the actors of each bucket. */
  actors: Record<"new" | "returning" | "resurrecting" | "dormant", Set<string>[]>;
}

export function evaluateLifecycle(query: NaiveLifecycle, world: World): NaiveLifecycleAnswer {
  const period = periodOf(query.dateRange, query.interval, false, world);
  const shown = bucketsOf(period, query.interval, world);
  const actors = { new: [], returning: [], resurrecting: [], dormant: [] } as NaiveLifecycleAnswer["actors"];
  for (const sets of Object.values(actors)) for (const _ of shown) sets.push(new Set());
  if (shown.length === 0) return { days: [], actors };
  const all = [before(shown[0]!, period.fromMs, query.interval, world), ...shown];
  const [series] = query.series;
  const groupIndex = query.aggregation_group_type_index;
  const filters = [
    ...query.properties,
    ...series.properties,
    ...(query.filterTestAccounts ? world.testAccountFilters : []),
  ];
  const counted = world.events.filter((event) => {
    return event.personMode !== 1 && isMeant(event, series, world) && passes(event, filters, world);
  });
  const byActor = Map.groupBy(counted, (event) => actorOf(event, { ...series, math: "dau" }, { world, groupIndex }));
  for (const [actor, events] of byActor) {
    if (actor === null) continue;
    const isActive = (bucket: NaiveBucket): boolean => events.some((event) => bucket.holds(event.timestampMs));
    const madeAtMs = madeAt(events[0]!, groupIndex, world);
    all.forEach((bucket, i) => {
      if (i === 0) return;
      const was = isActive(all[i - 1]!);
      if (!isActive(bucket)) {
        if (was) actors.dormant[i - 1]!.add(actor);
        return;
      }
      const isFirst = !all.slice(0, i).some(isActive);
      const isNew = isFirst && madeAtMs !== null && bucket.holds(madeAtMs);
      const status = isNew ? "new" : was ? "returning" : "resurrecting";
      actors[status][i - 1]!.add(actor);
    });
  }
  return { days: shown.map(({ name }) => name), actors };
}

/** The bucket that ends where another one begins, which holds `ms`. */
function before(bucket: NaiveBucket, ms: number, interval: Interval, world: World): NaiveBucket {
  let first = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const step = interval === "minute" || interval === "hour" ? MINUTE_MS : 15 * MINUTE_MS;
  while (bucket.holds(first - step)) first -= step;
  while (bucket.holds(first - MINUTE_MS)) first -= MINUTE_MS;
  const lastMs = first - 1;
  const wall = wallOf(lastMs, world.timezone);
  return bucketsOf({ fromMs: lastMs, toMs: lastMs, fromWall: wall, toWall: wall }, interval, world)[0]!;
}

/** When the person or the group of an event was made. */
function madeAt(event: TestEvent, groupIndex: number | null, world: World): number | null {
  if (groupIndex === null) return personOf(event, world)?.createdAtMs ?? null;
  const key = propertiesOf(event)[`$group_${groupIndex}`];
  return world.groups.find((group) => group.index === groupIndex && group.key === key)?.createdAtMs ?? null;
}
