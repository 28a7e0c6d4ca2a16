import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseFormula } from "../../src/query/kinds/trends/formula.ts";
import { brokenBy, withBroken } from "../../src/web/app/question/breakdownFilter.ts";
import { absoluteRange, dateRangeText, PRESETS, partsOf, presetOf } from "../../src/web/app/question/dateText.ts";
import { letterOf, moved, seriesLabel, withAlternative, withNode } from "../../src/web/app/question/entities.ts";
import { filterText, groupsOf, newFilter, tidy } from "../../src/web/app/question/filters.ts";
import { formulaProblem } from "../../src/web/app/question/formula.ts";
import { numberIn, operatorsFor, valueForm, valuesOf, withOperator } from "../../src/web/app/question/operators.ts";
import { shortAgo } from "../../src/web/app/question/seen.ts";
import type { EntityNode, FilterGroup, PropertyFilter } from "../../src/web/app/question/types.ts";

describe("dates in words", () => {
  test.each([
    [undefined, "Last 7 days"],
    [{ date_from: "-7d" }, "Last 7 days"],
    [{ date_from: "-7d", date_to: null }, "Last 7 days"],
    [{ date_from: "-1dStart", date_to: "-1dEnd" }, "Yesterday"],
    [{ date_from: "all" }, "All time"],
    [{ date_from: "-3w" }, "Last 3 weeks"],
    [{ date_from: "-1h" }, "Last hour"],
    [{ date_from: "-45M" }, "Last 45 minutes"],
    [{ date_from: "2026-05-03", date_to: "2026-05-09" }, "3 May – 9 May 2026"],
    [{ date_from: "2025-12-30", date_to: "2026-01-02" }, "30 Dec 2025 – 2 Jan 2026"],
    [{ date_from: "2026-09-03", date_to: "2026-09-03" }, "3 Sep 2026"],
    [{ date_from: "2026-05-03T10:00:00", date_to: "2026-05-03T12:30:59" }, "3 May 2026 10:00 – 3 May 2026 12:30"],
    [{ date_from: "2026-05-03" }, "From 3 May 2026"],
    [{ date_from: "-30d", date_to: "-7d" }, "30 days ago – 7 days ago"],
    [{ date_from: "whatever", date_to: "-1d" }, "whatever – 1 day ago"],
  ])("%p is %p", (range, text) => {
    expect(dateRangeText(range)).toBe(text);
  });

  test("each preset is found again", () => {
    for (const preset of PRESETS) expect(presetOf({ ...preset, date_to: preset.date_to ?? null })).toBe(preset);
  });

  test("a range of two days begins with the earlier one, and is read as it was written", () => {
    const day = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(day, day, (a, b) => {
        const [one, two] = [a, b].map((date) => date.toISOString().slice(0, 10)) as [string, string];
        const range = absoluteRange(one, two, { from: "01:00", to: "02:00" });
        const [from, to] = [partsOf(range.date_from), partsOf(range.date_to)];
        expect([from?.day, to?.day]).toEqual([one, two].sort());
        expect([from?.time, to?.time]).toEqual(["01:00", "02:00"]);
      }),
    );
  });

  test("how long ago", () => {
    const now = Date.UTC(2026, 0, 1);
    const ago = (seconds: number) => shortAgo(new Date(now - seconds * 1_000).toISOString(), now);
    expect([0, 59, 60, 7_199, 7_200, 86_400 * 3, 86_400 * 70].map(ago)).toEqual([
      "now",
      "now",
      "1 min",
      "1 h",
      "2 h",
      "3 d",
      "2 mo",
    ]);
  });
});

describe("filters", () => {
  test.each<[PropertyFilter, string]>([
    [{ type: "event", key: "$browser", value: ["Chrome", "Firefox"] }, "Browser is Chrome or Firefox"],
    [{ type: "event", key: "plan", operator: "is_not", value: "free" }, "plan is not free"],
    [{ type: "event", key: "plan", operator: "exact", value: ["a", "b", "c", "d"] }, "plan is a, b or 2 more"],
    [{ type: "event", key: "plan", operator: "is_set" }, "plan is set"],
    [{ type: "event", key: "price", operator: "between", value: [1, 5] }, "price is between 1 and 5"],
    [{ type: "event", key: "at", operator: "is_date_after", value: "-7d" }, "at is after 7 days ago"],
    [{ type: "cohort", key: "id", value: 3, operator: "in", cohort_name: "Paying" }, "Person is in Paying"],
    [{ type: "cohort", key: "id", value: 3, negation: true }, "Person is not in cohort 3"],
    [{ type: "hogql", key: "properties.x > 1" }, "properties.x > 1"],
    [{ type: "person", key: "email", operator: "icontains" }, "Email contains …"],
  ])("%j reads %p", (filter, text) => {
    expect(filterText(filter, null).filter(Boolean).join(" ")).toBe(text);
  });

  test("another operator keeps the value where its form can hold it", () => {
    const filter = newFilter({ type: "event", key: "price", valueType: "Numeric" });
    const is = { ...filter, value: ["12", "13"] };
    expect(withOperator(is, "gt", "Numeric").value).toBe(12);
    expect(withOperator(withOperator(is, "gt", "Numeric"), "is_not", "Numeric").value).toEqual(["12"]);
    expect(withOperator(is, "is_not", "Numeric").value).toEqual(["12", "13"]);
    expect(withOperator(is, "is_set", "Numeric")).not.toHaveProperty("value");
    expect(withOperator(is, "is_date_after", "Numeric")).not.toHaveProperty("value");
  });

  test("a new filter begins with what makes sense for the property", () => {
    expect(newFilter({ type: "event", key: "at", valueType: "DateTime" }).operator).toBe("is_date_after");
    expect(newFilter({ type: "event", key: "x", valueType: "Boolean" }).operator).toBe("exact");
    expect(operatorsFor({ type: "element", key: "selector" }, "String").rest).toEqual([]);
  });

  const filter = fc.record({ type: fc.constantFrom("event", "person"), key: fc.string(), value: fc.string() });
  const type = fc.constantFrom("AND" as const, "OR" as const);
  const group = fc.record({ type, values: fc.array(filter, { minLength: 1, maxLength: 3 }) });
  const groups: fc.Arbitrary<FilterGroup> = fc.record({
    type,
    values: fc.array(group, { minLength: 1, maxLength: 3 }),
  });

  test("groups are read as they are written, and nothing of any form is lost", () => {
    fc.assert(
      fc.property(groups, (written) => {
        expect(groupsOf(written)).toEqual(written);
        expect(tidy(groupsOf(written))).toEqual(written);
      }),
    );
    fc.assert(
      fc.property(type, fc.array(fc.oneof(filter, group), { maxLength: 5 }), (of, values) => {
        const count = (list: readonly unknown[]): number =>
          list.reduce<number>(
            (sum, one) => sum + ("key" in (one as object) ? 1 : count((one as FilterGroup).values)),
            0,
          );
        expect(count(groupsOf({ type: of, values }).values)).toBe(count(values));
      }),
    );
    for (const odd of [null, undefined, [], {}, "x", { type: "AND" }, { type: "AND", values: [] }]) {
      expect(tidy(groupsOf(odd))).toBeUndefined();
    }
  });

  test("values are a list, and numbers are numbers", () => {
    expect(valuesOf({ type: "event", key: "x", value: [1, null, "", "a", { b: 1 }] })).toEqual([1, "a"]);
    expect(["1", " 2.5 ", "", "1e3", "x", "Infinity"].map(numberIn)).toEqual([1, 2.5, "", 1000, "x", "Infinity"]);
    expect(valueForm({ type: "event", key: "x", operator: "constructor" }, null)).toBe("texts");
  });
});

describe("series", () => {
  const buy: EntityNode = { kind: "EventsNode", event: "buy", name: "buy" };
  const view: EntityNode = { kind: "EventsNode", event: "$pageview", name: "$pageview" };

  test("are called by their events and maths", () => {
    expect(seriesLabel(view)).toBe("Page view");
    expect(seriesLabel({ ...view, math: "dau" })).toBe("Page view · unique people");
    expect(seriesLabel({ ...buy, math: "sum", math_property: "price" })).toBe("buy · sum of price");
    expect(seriesLabel(withAlternative(buy, view))).toBe("buy or Page view");
    expect(seriesLabel({ ...buy, custom_name: "Sales" })).toBe("Sales");
  });

  test("an alternative that is added and taken away leaves the series as it was", () => {
    const series: EntityNode = { ...buy, math: "dau", properties: [{ type: "event", key: "x", value: 1 }] };
    const back = withNode(withAlternative(series, view), 1, null);
    expect(JSON.parse(JSON.stringify(back))).toEqual({ ...series });
  });

  test("have letters, and their order changes as a whole", () => {
    expect([0, 25, 26, 27, 52, 701, 702].map(letterOf)).toEqual(["A", "Z", "AA", "AB", "BA", "ZZ", "AAA"]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(), { minLength: 1 }), fc.nat(), fc.nat(), (list, a, b) => {
        const [from, to] = [a % list.length, b % list.length];
        const next = moved(list, from, to);
        expect(next[to]).toBe(list[from]!);
        expect(moved(next, to, from)).toEqual(list);
      }),
    );
  });
});

test("a breakdown is read as it is written, and old forms are read, too", () => {
  const parts = [
    { type: "event", property: "a" },
    { type: "person", property: "b", normalize_url: true },
  ];
  expect(brokenBy(withBroken(undefined, { parts, cohorts: [] }))).toEqual({ parts, cohorts: [] });
  expect(brokenBy(withBroken({ breakdowns: parts }, { parts: [], cohorts: [3, "all"] }))).toEqual({
    parts: [],
    cohorts: [3, "all"],
  });
  expect(withBroken({ breakdowns: parts, breakdown_limit: 3 }, { parts: [], cohorts: [] })).toBeUndefined();
  expect(brokenBy({ breakdown: "$os", breakdown_type: "person" }).parts).toEqual([{ type: "person", property: "$os" }]);
  expect(brokenBy({ breakdown: ["a", "b"] }).parts).toHaveLength(2);
  expect(brokenBy(null)).toEqual({ parts: [], cohorts: [] });
});

test("a formula has no problem exactly where the query takes it", () => {
  const token = fc.constantFrom(..."A|b|C|z|1|2.5|.5|+|-|*|/|(|)| |AB|%|1.|..".split("|"));
  fc.assert(
    fc.property(fc.array(token, { maxLength: 9 }), (tokens) => {
      const text = tokens.join("");
      const isTaken = (() => {
        try {
          parseFormula(text, 3, "formula");
          return true;
        } catch {
          return false;
        }
      })();
      expect([text, formulaProblem(text, 3) === null]).toEqual([text, isTaken]);
    }),
    { numRuns: 3_000 },
  );
});
