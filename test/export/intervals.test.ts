import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { boundaryAfter, boundaryUpTo, countIntervals, INTERVALS } from "../../src/export/mod.ts";
import type { ExportCycle } from "../../src/metadata/mod.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/Sao_Paulo",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Cairo",
];

const cycles = fc.record({
  interval: fc.constantFrom(...INTERVALS),
  timezone: fc.constantFrom(...ZONES),
  offsetDay: fc.option(fc.integer({ min: 0, max: 6 })),
  offsetHour: fc.option(fc.integer({ min: 0, max: 23 })),
});
const moments = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2035, 0, 1) });
const LONGEST_MS = {
  "every 5 minutes": HOUR_MS / 12,
  "every 15 minutes": HOUR_MS / 4,
  hour: HOUR_MS,
  day: 2 * DAY_MS,
  week: 8 * DAY_MS,
};

const cycle = (wish: Partial<ExportCycle>): ExportCycle => ({
  interval: "day",
  timezone: "UTC",
  offsetDay: null,
  offsetHour: null,
  ...wish,
});
const iso = (ms: number) => new Date(ms).toISOString();
const at = (text: string) => Date.parse(text);

describe("intervals", () => {
  test("leave no moment out, and have none twice", () => {
    fc.assert(
      fc.property(cycles, moments, (cycle, ms) => {
        const [from, to] = [boundaryUpTo(ms, cycle), boundaryAfter(ms, cycle)];
        expect(from).toBeLessThanOrEqual(ms);
        expect(to).toBeGreaterThan(ms);
        expect(to - from).toBeLessThanOrEqual(LONGEST_MS[cycle.interval]);
        // Nothing between the two is a boundary, and both of them are.
        expect(boundaryAfter(from, cycle)).toBe(to);
        expect(boundaryUpTo(to - 1, cycle)).toBe(from);
        expect(boundaryUpTo(to, cycle)).toBe(to);
      }),
      { numRuns: 2_000 },
    );
  });

  test("are counted as they follow each other", () => {
    fc.assert(
      fc.property(cycles, moments, fc.integer({ min: 1, max: 40 }), (cycle, ms, steps) => {
        const from = boundaryUpTo(ms, cycle);
        let to = from;
        for (let i = 0; i < steps; i++) to = boundaryAfter(to, cycle);
        expect(countIntervals(from, to, cycle)).toBe(steps);
      }),
    );
  });

  test("of millennia are counted", () => {
    const [from, to] = [at("0001-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z")];
    expect(countIntervals(from, to, cycle({}))).toBe(739_616);
    expect(countIntervals(from + 1, to + 1, cycle({}))).toBe(739_617);
    expect(countIntervals(from, to, cycle({ interval: "week", offsetDay: 1 }))).toBe(105_660);
    expect(countIntervals(to, from, cycle({}))).toBe(0);
  });

  test("of days begin at their hour by the clock of the zone", () => {
    const berlin = cycle({ timezone: "Europe/Berlin", offsetHour: 3 });
    expect(iso(boundaryAfter(at("2026-01-10T12:00:00Z"), berlin))).toBe("2026-01-11T02:00:00.000Z");
    expect(iso(boundaryAfter(at("2026-07-10T12:00:00Z"), berlin))).toBe("2026-07-11T01:00:00.000Z");
    // The day on which the clock goes forward has 23 hours, that on which it goes back 25.
    const midnight = cycle({ timezone: "Europe/Berlin" });
    const lengths = ["2026-03-29T10:00:00Z", "2026-10-25T10:00:00Z"].map(
      (text) => (boundaryAfter(at(text), midnight) - boundaryUpTo(at(text), midnight)) / HOUR_MS,
    );
    expect(lengths).toEqual([23, 25]);
  });

  test("begin later where the clock leaves their hour out", () => {
    const two = cycle({ timezone: "Europe/Berlin", offsetHour: 2 });
    // 02:00 to 03:00 does not exist on 2026-03-29.
    expect(iso(boundaryUpTo(at("2026-03-29T12:00:00Z"), two))).toBe("2026-03-29T01:00:00.000Z");
    expect(iso(boundaryAfter(at("2026-03-29T12:00:00Z"), two))).toBe("2026-03-30T00:00:00.000Z");
  });

  test("of weeks begin on their day", () => {
    const at3 = cycle({ interval: "week", offsetDay: 3, offsetHour: 5 });
    // 2026-01-14 is a Wednesday.
    expect(iso(boundaryUpTo(at("2026-01-14T05:00:00Z"), at3))).toBe("2026-01-14T05:00:00.000Z");
    expect(iso(boundaryUpTo(at("2026-01-14T04:59:59Z"), at3))).toBe("2026-01-07T05:00:00.000Z");
    const sundays = cycle({ interval: "week" });
    expect(iso(boundaryUpTo(at("2026-01-14T00:00:00Z"), sundays))).toBe("2026-01-11T00:00:00.000Z");
  });

  test("go over a day that a zone left out", () => {
    // Apia had no 2011-12-30.
    const apia = cycle({ timezone: "Pacific/Apia" });
    const from = boundaryUpTo(at("2011-12-29T20:00:00Z"), apia);
    expect(iso(boundaryAfter(from, apia))).toBe("2011-12-30T10:00:00.000Z");
    expect(iso(boundaryAfter(at("2011-12-30T10:00:00Z"), apia))).toBe("2011-12-31T10:00:00.000Z");
  });
});
