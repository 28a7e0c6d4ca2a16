import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/types/mod.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";
import { addDays, evaluate, localText, type NaiveFilter, type NaiveQuery } from "./naive.ts";
import { trends } from "./support.ts";

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(() => lake.close());

const ZONES = [
  "UTC",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Europe/London",
];
/** Days around changes of the clock, leap days and ends of years. */
const DAYS = ["2011-12-29", "2018-11-03", "2020-03-07", "2020-10-03", "2020-10-31", "2019-12-30", "2020-02-27"];

const propertyValue = fc.oneof(
  fc.constantFrom("a", "b", "Ab", "", "1", "2.5", "true", "x%y"),
  fc.constantFrom(0, 1, 2, 2.5, -3, 10),
  fc.boolean(),
  fc.constant(null),
  fc.constant({ k: 1 }),
);
const event = fc.record({
  event: fc.constantFrom("view", "buy", "other"),
  distinctId: fc.constantFrom("p1", "p2", "p3", "p4"),
  offsetMinutes: fc.integer({ min: -2000, max: 26_000 }),
  properties: fc.dictionary(fc.constantFrom("k", "n", "a/b~c"), propertyValue, { maxKeys: 3 }),
  groups: fc.dictionary(fc.constantFrom("$group_0", "$group_2"), fc.constantFrom("g1", "g2", "g3")),
});
/** Some of those who sent events, each in at most one person, whose first id is itself among them. */
const persons = fc
  .record({
    parts: fc.constantFrom<string[][]>(
      [],
      [["p1"]],
      [["p1", "p2"], ["p3"]],
      [["p3", "p1", "p4"]],
      [["p2", "p9"], ["p4"]],
    ),
    properties: fc.array(fc.dictionary(fc.constantFrom("k", "n", "a/b~c"), propertyValue), {
      minLength: 2,
      maxLength: 2,
    }),
  })
  .map(({ parts, properties }) => parts.map((distinctIds, i) => ({ distinctIds, properties: properties[i]! })));
const groups = fc.uniqueArray(
  fc.record({
    index: fc.constantFrom<0 | 2>(0, 2),
    key: fc.constantFrom("g1", "g2"),
    properties: fc.dictionary(fc.constantFrom("k", "n", "a/b~c"), propertyValue),
  }),
  { selector: ({ index, key }) => `${index} ${key}` },
);
const single = fc.constantFrom<string | number>("a", "b", "1", "2.5", "true", 1, 2.5, 0);
const ofEvent: fc.Arbitrary<NaiveFilter> = fc.oneof(
  fc.record({
    key: fc.constantFrom("k", "n", "a/b~c", "missing"),
    operator: fc.constantFrom("exact", "is_not"),
    value: fc.oneof(single, fc.array(single, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({
    key: fc.constantFrom("k", "n", "a/b~c"),
    operator: fc.constantFrom("gt", "gte", "lt", "lte"),
    value: fc.constantFrom<string | number>(1, "2", 2.5, -5),
  }),
  fc.record({
    key: fc.constantFrom("k", "n", "missing"),
    operator: fc.constantFrom("is_set", "is_not_set", "icontains", "not_icontains"),
    value: fc.constantFrom("a", "1"),
  }),
);
const subject = fc.constantFrom<Partial<NaiveFilter>>(
  {},
  {},
  { type: "event" },
  { type: "person" },
  { type: "person" },
  { type: "group", group_type_index: 0 },
  { type: "group", group_type_index: 2 },
);
const filter = fc.tuple(ofEvent, subject).map(([one, of]) => ({ ...one, ...of }));
const series = fc.record({
  event: fc.option(fc.constantFrom("view", "buy"), { nil: null }),
  math: fc.constantFrom<"total" | "dau">("total", "dau"),
  properties: fc.array(filter, { maxLength: 2 }),
});
const asked = fc.record({
  events: fc.array(event, { maxLength: 40 }),
  persons,
  groups,
  series: fc.array(series, { minLength: 1, maxLength: 3 }),
  interval: fc.constantFrom<NaiveQuery["interval"]>("hour", "day", "week", "month"),
  startDay: fc.constantFrom(...DAYS),
  length: fc.integer({ min: 0, max: 16 }),
  form: fc.constantFrom("absolute", "relative"),
  properties: fc.array(filter, { maxLength: 1 }),
  isCumulative: fc.boolean(),
  timezone: fc.constantFrom(...ZONES),
  weekStartDay: fc.constantFrom<0 | 1>(0, 1),
});

test("random queries over random events agree with plain loops", async () => {
  await fc.assert(
    fc.asyncProperty(asked, async (given) => {
      const { timezone, weekStartDay, interval, startDay } = given;
      const base = Date.parse(`${startDay}T00:00:00Z`);
      const events: TestEvent[] = given.events.map(({ offsetMinutes, properties, groups: of, ...rest }) => ({
        ...rest,
        properties: { ...properties, ...of },
        timestampMs: base + offsetMinutes * 60_000,
      }));
      await lake.empty();
      await lake.add(events);
      await lake.addPersons(given.persons);
      await lake.addGroups(given.groups);
      // Far from midnight, so that "today" is plain in every zone.
      const nowMs = base + given.length * 86_400_000 + 12 * 3_600_000;
      const today = localText(nowMs, timezone).slice(0, 10);
      const isRelative = given.form === "relative" && interval !== "hour";
      const fromDay = isRelative ? addDays(today, -given.length) : startDay;
      const toDay = isRelative ? today : addDays(startDay, given.length);
      // An end on a day that never was has no right answer.
      fc.pre(timezone !== "Pacific/Apia" || (fromDay !== "2011-12-30" && toDay !== "2011-12-30"));
      const query: NaiveQuery = { ...given, fromDay, toDay };
      const dateRange: Json = isRelative
        ? { date_from: `-${given.length}d` }
        : { date_from: fromDay, date_to: interval === "hour" ? `${toDay} 23:59:59.999` : toDay };
      const response = await trends(
        lake,
        {
          interval,
          dateRange,
          series: given.series.map((one) => ({ kind: "EventsNode", ...one })) as unknown as Json,
          properties: given.properties as unknown as Json,
          trendsFilter: given.isCumulative ? { display: "ActionsLineGraphCumulative" } : null,
        },
        { timezone, weekStartDay, nowMs },
      );
      const expected = evaluate(events, given, query, timezone, weekStartDay);
      const found = response.results.map((item) => byName(item.days, item.data ?? [], given.isCumulative));
      expect(found).toEqual(expected.map((numbers) => Object.fromEntries(numbers)));
    }),
    { numRuns: 150 },
  );
}, 120_000);

/** An hour that the clock told twice has two buckets of one name: their sum, or for running totals the later one. */
function byName(days: readonly string[], data: readonly number[], isCumulative: boolean): Record<string, number> {
  const numbers: Record<string, number> = {};
  days.forEach((day, i) => {
    numbers[day] = isCumulative ? data[i]! : (numbers[day] ?? 0) + data[i]!;
  });
  return numbers;
}
