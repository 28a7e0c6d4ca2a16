import { describe, expect, test } from "bun:test";
import { nextCheckMs } from "../../src/alerts/schedule/checks.ts";
import { nextDeliveryMs } from "../../src/alerts/schedule/recurrence.ts";
import type { Alert, Recurrence } from "../../src/metadata/mod.ts";

const at = (text: string) => Date.parse(text);
const BERLIN = "Europe/Berlin";

describe("the next check", () => {
  const next = (calculationInterval: Alert["calculationInterval"], now: string, zone = "UTC", skipWeekend = false) =>
    new Date(nextCheckMs({ calculationInterval, skipWeekend }, at(now), zone)).toISOString();

  test("is when the interval is over, by the clock of the zone", () => {
    expect(next("hourly", "2026-03-02T10:02:00Z")).toBe("2026-03-02T11:02:00.000Z");
    expect(next("hourly", "2026-03-02T10:01:59Z")).toBe("2026-03-02T10:02:00.000Z");
    expect(next("every_15_minutes", "2026-03-02T10:16:00Z")).toBe("2026-03-02T10:31:00.000Z");
    expect(next("daily", "2026-03-02T00:30:00Z")).toBe("2026-03-02T01:00:00.000Z");
    expect(next("daily", "2026-03-02T01:00:00Z")).toBe("2026-03-03T01:00:00.000Z");
    expect(next("daily", "2026-03-02T10:00:00Z", BERLIN)).toBe("2026-03-03T00:00:00.000Z");
    expect(next("weekly", "2026-03-04T10:00:00Z")).toBe("2026-03-09T01:00:00.000Z");
    expect(next("monthly", "2026-01-31T10:00:00Z")).toBe("2026-02-01T01:00:00.000Z");
  });

  test("leaves weekends out where it is to", () => {
    expect(next("daily", "2026-03-06T10:00:00Z", "UTC", true)).toBe("2026-03-09T01:00:00.000Z");
    expect(next("hourly", "2026-03-06T23:30:00Z", "UTC", true)).toBe("2026-03-09T01:00:00.000Z");
    expect(next("daily", "2026-03-06T10:00:00Z")).toBe("2026-03-07T01:00:00.000Z");
  });
});

describe("the next delivery", () => {
  const BASE: Recurrence = {
    frequency: "daily",
    interval: 1,
    byweekday: null,
    bysetpos: null,
    startDateMs: at("2026-01-05T09:00:00Z"),
    untilDateMs: null,
  };
  /** The first `count` of them after the start. */
  const some = (wish: Partial<Recurrence>, count: number, zone = "UTC") => {
    const found: string[] = [];
    let after = (wish.startDateMs ?? BASE.startDateMs) - 1;
    while (found.length < count) {
      const ms = nextDeliveryMs({ ...BASE, ...wish }, after, zone);
      if (ms === null) break;
      found.push(new Date(ms).toISOString().slice(0, 16));
      after = ms;
    }
    return found;
  };

  test("is each day, week or month, or every few of them", () => {
    expect(some({}, 2)).toEqual(["2026-01-05T09:00", "2026-01-06T09:00"]);
    expect(some({ interval: 3 }, 2)).toEqual(["2026-01-05T09:00", "2026-01-08T09:00"]);
    expect(some({ frequency: "weekly" }, 2)).toEqual(["2026-01-05T09:00", "2026-01-12T09:00"]);
    expect(some({ frequency: "weekly", interval: 2, byweekday: [5, 3] }, 3)).toEqual([
      "2026-01-07T09:00",
      "2026-01-09T09:00",
      "2026-01-21T09:00",
    ]);
    expect(some({ frequency: "monthly", startDateMs: at("2026-01-31T09:00:00Z") }, 3)).toEqual([
      "2026-01-31T09:00",
      "2026-02-28T09:00",
      "2026-03-31T09:00",
    ]);
  });

  test("is the first or the last of the weekdays of a month", () => {
    expect(some({ frequency: "monthly", byweekday: [1], bysetpos: 1 }, 2)).toEqual([
      "2026-01-05T09:00",
      "2026-02-02T09:00",
    ]);
    expect(some({ frequency: "monthly", byweekday: [1, 2, 3, 4, 5], bysetpos: -1 }, 2)).toEqual([
      "2026-01-30T09:00",
      "2026-02-27T09:00",
    ]);
  });

  test("keeps the time of day when the clock of the zone changes", () => {
    const startDateMs = at("2026-03-28T08:00:00Z");
    expect(some({ startDateMs }, 2, BERLIN)).toEqual(["2026-03-28T08:00", "2026-03-29T07:00"]);
  });

  test("ends", () => {
    expect(some({ untilDateMs: at("2026-01-06T09:00:00Z") }, 5)).toHaveLength(2);
    expect(nextDeliveryMs(BASE, at("2030-05-05T09:00:00Z"), "UTC")).toBe(at("2030-05-06T09:00:00Z"));
  });

  test("of all days of years is what a walk over days finds", () => {
    const wish: Recurrence = { ...BASE, frequency: "weekly", interval: 3, byweekday: [1, 6] };
    const walked: string[] = [];
    for (let day = 0; day < 400; day++) {
      const date = new Date(at("2026-01-05T09:00:00Z") + day * 86_400_000);
      const isWeek = Math.floor(day / 7) % 3 === 0;
      if (isWeek && [1, 6].includes(date.getUTCDay())) walked.push(date.toISOString().slice(0, 16));
    }
    expect(some(wish, walked.length)).toEqual(walked);
  });
});
