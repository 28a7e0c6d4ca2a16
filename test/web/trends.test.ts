import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { QueryAnswer } from "../../src/web/app/api/node.ts";
import { csvOf } from "../../src/web/app/kinds/csv.ts";
import { nodeKey } from "../../src/web/app/kinds/nodeKey.ts";
import { calendarOf } from "../../src/web/app/kinds/trends/calendar.ts";
import { withDisplay } from "../../src/web/app/kinds/trends/displays.ts";
import { essenceOf } from "../../src/web/app/kinds/trends/essence.ts";
import { linesOf, withShown } from "../../src/web/app/kinds/trends/lines.ts";
import { percentStack } from "../../src/web/app/kinds/trends/percentStack.ts";
import type { TrendsItem, TrendsNode } from "../../src/web/app/kinds/trends/types.ts";
import { placeOf } from "../../src/web/app/kinds/view/place.ts";

// What the pages make of the answer to a trend.

const NODE: TrendsNode = {
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "see" }],
  breakdownFilter: { breakdowns: [{ type: "event", property: "country" }] },
};

const item = (value: string, data = [1, 2]): TrendsItem => ({
  data,
  days: ["2026-05-01", "2026-05-02"],
  count: 3,
  label: value,
  action: null,
  order: 0,
  breakdown_value: [value],
});

const answerOf = (results: unknown): QueryAnswer =>
  ({ results, is_cached: false, last_refresh: null, cache_target_age: null, timezone: "UTC" }) as QueryAnswer;

describe("percent stack", () => {
  test("each place adds up to one, or to nothing", () => {
    const lines = fc.array(fc.array(fc.option(fc.integer({ min: 0, max: 1_000 })), { minLength: 4, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(lines, (given) => {
        const shares = percentStack(given);
        for (let place = 0; place < 4; place++) {
          const sum = shares.reduce((all, line) => all + line[place]!, 0);
          const isNothing = given.every((line) => (line[place] ?? 0) === 0);
          expect(sum).toBeCloseTo(isNothing ? 0 : 1, 9);
        }
      }),
    );
  });
});

describe("lines", () => {
  test("of a map have names of countries, and what is none is called as it is", () => {
    const answer = answerOf(["DE", "fr", "QQ", "Atlantis"].map((value) => item(value)));
    const labels = (display: string) =>
      linesOf({ ...NODE, trendsFilter: { display } }, answer).map(({ label }) => label);
    expect(labels("WorldMap")).toEqual(["Germany", "France", "QQ", "Atlantis"]);
    expect(labels("ActionsTable")).toEqual(["DE", "fr", "QQ", "Atlantis"]);
  });

  test("have colours by rank, no two the same; the grey one is of Other where there is one", () => {
    const values = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 30 });
    const colors = (order: readonly string[]) =>
      linesOf(NODE, answerOf(order.map((value) => item(value)))).map(({ color }) => color);
    fc.assert(
      fc.property(values, (all) => {
        expect(colors(all)).toEqual(all.map((_, rank) => rank));
        const [other, ...rest] = colors(["$$_posthog_breakdown_other_$$", ...all]);
        expect(other).toBe(7);
        expect(new Set([other, ...rest]).size).toBe(all.length + 1);
      }),
    );
  });

  test("are hidden one by one, and shown again", () => {
    const answer = answerOf(["US", "FR", "DE"].map((value) => item(value)));
    const lines = linesOf(NODE, answer);
    const without = withShown(NODE, lines, 1, false);
    expect(linesOf(without, answer).map(({ isShown }) => isShown)).toEqual([true, false, true]);
    const again = withShown(without, linesOf(without, answer), 1, true);
    expect(linesOf(again, answer).every(({ isShown }) => isShown)).toBe(true);
    expect(again.trendsFilter?.resultCustomizations).toEqual({});
  });

  test("hidden in the older way are taken over", () => {
    const answer = answerOf(["US", "FR", "DE"].map((value) => item(value)));
    const old: TrendsNode = { ...NODE, trendsFilter: { hiddenLegendIndexes: [0] } };
    expect(linesOf(old, answer).map(({ isShown }) => isShown)).toEqual([false, true, true]);
    const next = withShown(old, linesOf(old, answer), 2, false);
    expect(next.trendsFilter?.hiddenLegendIndexes).toBeUndefined();
    expect(linesOf(next, answer).map(({ isShown }) => isShown)).toEqual([false, true, false]);
  });
});

test("a map brings countries, and takes them along", () => {
  const plain: TrendsNode = { kind: "TrendsQuery", series: [] };
  const map = withDisplay(plain, "WorldMap");
  expect(map.breakdownFilter?.breakdowns).toEqual([{ type: "event", property: "$geoip_country_code" }]);
  expect(withDisplay(map, "ActionsPie").breakdownFilter).toBeUndefined();
});

test("a calendar has every weekday and hour once, with zero where the answer has none", () => {
  const calendar = calendarOf({
    ...item("x", []),
    calendar_heatmap_data: {
      data: [
        { row: 1, column: 0, value: 3 },
        { row: 7, column: 23, value: 4 },
      ],
      rowAggregations: [{ row: 1, value: 2 }],
    },
  })!;
  expect([calendar.columns.length, calendar.columns[23]]).toEqual([24, "23:00"]);
  expect(calendar.rows.map(({ label, total }) => [label, total])).toEqual([
    ["Mon", 2],
    ...["Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].map((name): [string, number] => [name, 0]),
  ]);
  expect(calendar.rows.flatMap(({ values }) => values)).toEqual([3, ...new Array(7 * 24 - 2).fill(0), 4]);
  expect(calendarOf(item("x", [1]))).toBeNull();
});

describe("CSV", () => {
  test("quotes what needs it, and runs nothing", () => {
    const rows = [
      ["a,b", 1.5],
      ['say "hi"', null],
      ["=1+1", -2],
      ["-3", 0],
      ["two\nlines", 1],
    ] as const;
    const columns = [
      { label: "Name", isNumber: false },
      { label: "Value", isNumber: true },
    ];
    expect(csvOf({ columns, rows })).toBe(
      'Name,Value\r\n"a,b",1.5\r\n"say ""hi""",\r\n\'=1+1,-2\r\n-3,0\r\n"two\nlines",1\r\n',
    );
  });
});

test.each([
  ['series.1.math: the math "x" is not supported yet', "Series B, math", 'the math "x" is not supported yet'],
  ["source.source.series.0.math: no", "Series A, math", "no"],
  ["dateRange.date_from: no date", "Date range, date from", "no date"],
  ["Weir does not answer: is it running?", null, "Weir does not answer: is it running?"],
  ["no such column: bought", null, "no such column: bought"],
])("%p is of %p", (message, place, rest) => {
  expect(placeOf(message, null)).toEqual({ place, text: rest });
});

describe("what is asked again", () => {
  const key = (more: Partial<TrendsNode>) => nodeKey(essenceOf({ ...NODE, ...more }));
  const shown = (trendsFilter: TrendsNode["trendsFilter"]) => key({ trendsFilter });

  test("is nothing for another form with the same numbers", () => {
    expect(shown({ display: "ActionsAreaGraph" })).toBe(key({}));
    expect(shown({ display: "ActionsBar", showPercentStackView: true, resultCustomizations: { a: {} } })).toBe(key({}));
    expect(shown({ display: "ActionsTable" })).toBe(shown({ display: "ActionsPie" }));
    expect(key({ series: [{ kind: "EventsNode", event: "see", custom_name: "Seen" }] })).toBe(key({}));
  });

  test("is everything that has other numbers", () => {
    const keys = [
      key({}),
      shown({ display: "ActionsPie" }),
      shown({ display: "BoldNumber" }),
      shown({ display: "WorldMap" }),
      shown({ display: "ActionsLineGraphCumulative" }),
      shown({ smoothingIntervals: 3 }),
      shown({ formula: "A * 2" }),
      key({ interval: "week" }),
      key({ series: [{ kind: "EventsNode", event: "buy" }] }),
      key({ series: [{ kind: "EventsNode", event: "see", math: "dau" }] }),
      key({ breakdownFilter: undefined }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
