import { describe, expect, test } from "bun:test";
import { askedFor, logAddress, readShown } from "../../src/web/app/pages/activity/shown.ts";
import { differences, textOf } from "../../src/web/app/pages/parts/activity/differences.ts";
import { deedLabel, deedWords, inWords } from "../../src/web/app/pages/parts/activity/words.ts";

const told = (before: unknown, after: unknown) =>
  differences(before, after).map(({ path, before, after }) => [path.join("/"), before, after]);

describe("the difference of two values", () => {
  test("is told in the smallest parts", () => {
    const before = { source: { series: [{ event: "a", math: "total" }], dateRange: { date_from: "-7d" } }, same: [1] };
    const after = { source: { series: [{ event: "b", math: "total" }, { event: "c" }], dateRange: {} }, same: [1] };
    expect(told(before, after)).toEqual([
      ["source/series/1/event", "a", "b"],
      ["source/series/2", undefined, { event: "c" }],
      ["source/dateRange/date_from", "-7d", undefined],
    ]);
    expect(told("a", "b")).toEqual([["", "a", "b"]]);
    expect(told(null, { a: 1 })).toEqual([["", null, { a: 1 }]]);
    expect(told(["a", "b"], ["b"])).toEqual([["", ["a", "b"], ["b"]]]);
    expect(told({ a: { b: null } }, { a: { b: null } })).toEqual([]);
  });

  test("matches records by their ids, wherever they stand", () => {
    const before = [
      { id: 1, name: "x" },
      { id: 2, name: "y" },
    ];
    expect(told(before, [{ id: 2, name: "z" }])).toEqual([
      ["#1", { id: 1, name: "x" }, undefined],
      ["#2/name", "y", "z"],
    ]);
  });

  test("has its end, and names of strangers mean nothing", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, n]));
    expect(differences(wide, {}).length).toBeLessThan(100);
    const strange = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(told(strange, { constructor: 3 })).toContainEqual(["constructor", 2, 3]);
  });
});

describe("words", () => {
  test("are plain", () => {
    const values = [null, "", [], true, 1.5, ["a", 1], { id: 4, name: "Board" }, [{ id: 4, name: null }], { a: 1 }];
    expect(values.map(textOf)).toEqual([
      ...["nothing", "nothing", "nothing", "yes", "1.5", "a, 1", "Board", "#4"],
      '{"a":1}',
    ]);
    expect(["updated", "logged_in", "sharing enabled", "constructor"].map(deedWords)).toEqual([
      "changed the",
      "logged in:",
      "switched on the link of the",
      "constructor:",
    ]);
    expect(["updated", "logged_in", "sharing enabled"].map(deedLabel)).toEqual([
      "Changed",
      "Logged in",
      "Switched on the link",
    ]);
    expect([inWords("test_account_filters"), inWords("BatchExport")]).toEqual(["test account filters", "batch export"]);
  });
});

describe("what of the log is shown", () => {
  const NOW = Date.parse("2026-11-23T12:00:00Z");

  test("stands in the address and is read from it", () => {
    const shown = { ...readShown({}), isAll: true, scope: "Insight", time: "dates", from: "2026-01-01" } as const;
    const address = logAddress("/project/1/activity-logs", shown);
    expect(address).toBe("/project/1/activity-logs?of=all&scope=Insight&time=dates&from=2026-01-01");
    const query = Object.fromEntries(new URLSearchParams(address.split("?")[1]));
    expect(readShown(query)).toEqual(shown);
    expect(logAddress("/x", { ...shown, time: "7" })).not.toContain("from");
  });

  test("is asked up to now, so that pages do not move", () => {
    const ask = (part: object) => askedFor(1, { ...readShown({}), ...part }, NOW);
    const now = new Date(NOW).toISOString();
    expect(ask({})).toMatchObject({ projectId: 1, start_date: undefined, end_date: now, users: undefined });
    expect(ask({ time: "1", user: "system", isAll: true })).toMatchObject({
      projectId: null,
      start_date: "2026-11-22T12:00:00.000Z",
      is_system: true,
      users: undefined,
    });
    expect(ask({ time: "dates", to: "2030-01-01" })).toMatchObject({ start_date: undefined, end_date: now });
    expect(Date.parse(ask({ time: "dates", to: "2026-01-02" }).end_date!)).toBe(Date.parse("2026-01-02T23:59:59.999"));
  });
});
