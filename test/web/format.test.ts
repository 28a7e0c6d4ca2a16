import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { axisLabels, formatDate, formatDateTime, placeTitle } from "../../src/web/app/format/date.ts";
import { breakdownName, cutMiddle, cutPath, isOther, listText, valueName } from "../../src/web/app/format/name.ts";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShort,
} from "../../src/web/app/format/number.ts";
import { formatRelative } from "../../src/web/app/format/relative.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe("numbers", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [1234.5, "1,234.5"],
    [-12, "−12"],
    [0.00123, "0.00123"],
    [1e-6, "0.000001"],
    [2.5e-9, "2.5E−9"],
    [1e15, "1,000,000,000,000,000"],
    [3.2e18, "3.2E18"],
    [Number.NaN, "–"],
    [Number.POSITIVE_INFINITY, "–"],
  ])("%p is %p", (value, text) => expect(formatNumber(value)).toBe(text));

  test.each([
    [999, "999"],
    [1234, "1.23K"],
    [-1_500_000, "−1.5M"],
    [1e15, "1E15"],
    [1e-7, "1E−7"],
  ])("%p is short %p", (value, text) => expect(formatShort(value)).toBe(text));

  test("what is not nothing is never written as nothing, and a sign only where there is one", () => {
    fc.assert(
      fc.property(finite, (value) => {
        for (const format of [formatNumber, formatShort, formatPercent]) {
          const text = format(value);
          expect(/[1-9]/.test(text)).toBe(value !== 0);
          expect(text.startsWith("−")).toBe(value < 0);
        }
      }),
    );
  });

  test("a larger number is not written as a smaller one", () => {
    const read = (text: string) => Number(text.replaceAll(",", "").replaceAll("−", "-"));
    fc.assert(
      fc.property(finite, finite, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(read(formatNumber(low))).toBeLessThanOrEqual(read(formatNumber(high)));
      }),
    );
  });

  test.each([
    [0.123, "12.3%"],
    [1, "100%"],
    [0, "0%"],
    [0.99996, "99.9%"],
    [0.00004, "0.004%"],
    [-0.25, "−25%"],
    [3.5, "350%"],
  ])("the ratio %p is %p", (ratio, text) => expect(formatPercent(ratio)).toBe(text));

  test("only all is 100%", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (ratio) => {
        expect(formatPercent(ratio)).not.toBe("100%");
      }),
    );
  });

  test("changes", () => {
    expect(formatChange(112, 100)).toBe("+12%");
    expect(formatChange(96, 100)).toBe("−4%");
    expect(formatChange(100, 100)).toBe("0%");
    expect(formatChange(-50, -100)).toBe("+50%");
    expect(formatChange(5, 0)).toBeNull();
  });

  test("counts", () => {
    expect(formatCount(1, "person", "people")).toBe("1 person");
    expect(formatCount(1234, "event")).toBe("1,234 events");
  });
});

describe("durations", () => {
  test.each([
    [0, "0s"],
    [0.34, "340ms"],
    [0.9999, "1s"],
    [59.6, "1m"],
    [7_500, "2h 5m"],
    [3_600, "1h"],
    [90_061, "1d 1h"],
    [-61, "−1m 1s"],
    [86_400 * 1_500, "1,500d"],
    [0.0004, "0.4ms"],
    [Number.NaN, "–"],
  ])("%p seconds are %p", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

  test("two units at most, and within one of the second of what was given", () => {
    const sizes: Record<string, number> = { d: 86_400, h: 3_600, m: 60, s: 1 };
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e9, noNaN: true }), (seconds) => {
        const parts = formatDuration(seconds).split(" ");
        expect(parts.length).toBeLessThanOrEqual(2);
        const read = parts.reduce(
          (sum, part) => sum + Number(part.slice(0, -1).replaceAll(",", "")) * sizes[part.at(-1)!]!,
          0,
        );
        const largest = sizes[parts[0]!.at(-1)!]!;
        const second = { 86400: 3_600, 3600: 60, 60: 1, 1: 1 }[largest]!;
        expect(Math.abs(read - seconds)).toBeLessThanOrEqual(second);
      }),
    );
  });
});

describe("times", () => {
  test("labels of an axis say no more than is needed", () => {
    expect(axisLabels(["2026-05-01", "2026-05-02"], "day")).toEqual(["1 May", "2 May"]);
    expect(axisLabels(["2025-12-31", "2026-01-01"], "day")).toEqual(["31 Dec 2025", "1 Jan 2026"]);
    expect(axisLabels(["2026-05-01 09:00:00", "2026-05-01 10:00:00"], "hour")).toEqual(["09:00", "10:00"]);
    expect(axisLabels(["2026-05-01 23:00:00", "2026-05-02 00:00:00"], "hour")).toEqual(["1 May 23:00", "2 May 00:00"]);
    expect(axisLabels(["2026-08-01", "2026-09-01"], "month")).toEqual(["Aug", "Sep"]);
    expect(axisLabels(["not a time"], "day")).toEqual(["not a time"]);
  });

  test("instants are shown as the clocks of the project show them, wall times as they are", () => {
    expect(axisLabels(["2026-05-01T22:30:00Z"], "hour", "Europe/Berlin")).toEqual(["00:30"]);
    expect(placeTitle("2026-05-01T22:30:00Z", "day", "Europe/Berlin")).toBe("Sat 2 May 2026");
    expect(placeTitle("2026-05-01", "day", "Pacific/Auckland")).toBe("Fri 1 May 2026");
    expect(formatDateTime("2026-03-29T01:30:00Z", "Europe/Berlin")).toBe("29 Mar 2026, 03:30");
    expect(formatDate(new Date("2026-05-01T22:30:00Z"), "Asia/Kolkata")).toBe("2 May 2026");
  });

  test("titles of places", () => {
    expect(placeTitle("2026-04-27", "week")).toBe("27 Apr – 3 May 2026");
    expect(placeTitle("2026-05-01", "month")).toBe("May 2026");
    expect(placeTitle("2026-05-01 10:00:00", "hour")).toBe("Fri 1 May 2026, 10:00");
  });

  test("weeks", () => {
    expect(placeTitle("2026-05-01", "week")).toBe("1–7 May 2026");
    expect(placeTitle("2026-04-28", "week")).toBe("28 Apr – 4 May 2026");
    expect(placeTitle("2025-12-28", "week")).toBe("28 Dec 2025 – 3 Jan 2026");
  });

  test("wall times are the same in every zone", () => {
    const zones = fc.constantFrom(
      "UTC",
      "Pacific/Kiritimati",
      "Pacific/Pago_Pago",
      "America/St_Johns",
      "Europe/Berlin",
    );
    fc.assert(
      fc.property(
        fc.date({ min: new Date("2000-01-01"), max: new Date("2037-01-01"), noInvalidDate: true }),
        zones,
        (date, zone) => {
          const day = date.toISOString().slice(0, 10);
          expect(formatDate(day, zone)).toBe(formatDate(day));
        },
      ),
    );
  });

  const now = Date.parse("2026-05-01T12:00:00Z");
  test.each([
    [0, "just now"],
    [4, "just now"],
    [45, "45 seconds ago"],
    [59.8, "1 minute ago"],
    [180, "3 minutes ago"],
    [3_590, "1 hour ago"],
    [86_400, "1 day ago"],
    [-172_800, "in 2 days"],
    [86_400 * 400, "1 year ago"],
  ])("%p seconds before are %p", (seconds, text) => {
    expect(formatRelative(now - seconds * 1000, now)).toBe(text);
  });

  test("no unit is written that a larger one could stand for", () => {
    const most: Record<string, number> = { second: 59, minute: 59, hour: 23, day: 6, week: 4, month: 11 };
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), (seconds) => {
        const [, count, unit] =
          /(\d+) (second|minute|hour|day|week|month)s?/.exec(formatRelative(now - seconds * 1000, now)) ?? [];
        if (unit !== undefined) expect(Number(count)).toBeLessThanOrEqual(most[unit]!);
      }),
    );
  });
});

describe("names", () => {
  test("values of breakdowns", () => {
    expect(valueName("$$_posthog_breakdown_null_$$")).toBe("None");
    expect(valueName("$$_posthog_breakdown_other_$$")).toBe("Other");
    expect(valueName(["Chrome", "$$_posthog_breakdown_null_$$"])).toBe("Chrome · None");
    expect(valueName("")).toBe("(empty)");
    expect(valueName("  ")).toBe("(blank)");
    expect(valueName(null)).toBe("None");
    expect(valueName(0)).toBe("0");
    expect(valueName(false)).toBe("false");
    expect(valueName({ a: 1 })).toBe('{"a":1}');
    expect(isOther(["$$_posthog_breakdown_other_$$"])).toBe(true);
    expect(isOther([])).toBe(false);
  });

  test("bins of numbers", () => {
    expect(breakdownName(["[10, 20.5]"])).toBe("10 to 20.5");
    expect(breakdownName(["Chrome", "[1,2]"])).toBe("Chrome · 1 to 2");
    expect(breakdownName("[a]")).toBe("[a]");
    expect(breakdownName(undefined)).toBe("");
  });

  test("paths lose whole segments of their middle", () => {
    expect(cutPath("/blog/weekly-review", 30)).toBe("/blog/weekly-review");
    expect(cutPath("/blog/2026/11/weekly-review", 18)).toBe("/…/weekly-review");
    expect(cutPath("/blog/2026/11/weekly-review", 22)).toBe("/blog/…/weekly-review");
    expect(cutPath("https://shop.example/a/b/cart", 28)).toBe("https://shop.example/…/cart");
    expect(cutPath("/a-very-long-name-of-a-page", 12)).toBe("/a-ver…-page");
    expect(cutPath("no path at all, but long", 12)).toBe(cutMiddle("no path at all, but long", 12));
    fc.assert(
      fc.property(fc.webPath({ size: "small" }), fc.integer({ min: 2, max: 30 }), (path, length) =>
        expect(cutPath(path, length).length).toBeLessThanOrEqual(Math.max(length, 2)),
      ),
    );
  });

  test("a name is something that can be seen", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => expect(String(valueName(value)).trim()).not.toBe("")),
      { examples: [[[]]] },
    );
  });

  test("lists", () => {
    expect(listText(["a"])).toBe("a");
    expect(listText(["a", "b"])).toBe("a and b");
    expect(listText(["a", "b", "c"])).toBe("a, b and c");
    expect(listText(["a", "b", "c", "d", "e"])).toBe("a, b and 3 more");
  });

  test("what is cut keeps both ends and no more than its length", () => {
    const count = (text: string) =>
      Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)).length;
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 3, max: 40 }), (text, length) => {
        const cut = cutMiddle(text, length);
        if (count(text) <= length) return expect(cut).toBe(text);
        const [head, tail] = cut.split("…").length === 2 ? (cut.split("…") as [string, string]) : ["", ""];
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(count(cut)).toBeLessThanOrEqual(length);
      }),
    );
    expect(cutMiddle("x".repeat(5_000_000), 9)).toBe("xxxx…xxxx");
  });
});
