import { describe, expect, test } from "bun:test";
import { fieldText, grouped, instantOf, placeOf } from "../../src/web/app/pages/parts/notes/places.ts";

const DAYS = ["2026-03-27", "2026-03-28", "2026-03-29", "2026-03-30"];

describe("the place of a time", () => {
  test.each<[string, number]>([
    ["2026-03-26T22:59:59Z", -1],
    ["2026-03-26T23:00:00Z", 0],
    ["2026-03-28T22:59:59Z", 1],
    // The clock goes forward in this night.
    ["2026-03-29T21:59:59Z", 2],
    ["2026-03-29T22:00:00Z", 3],
    ["2026-03-30T21:59:59Z", 3],
    ["2026-03-30T22:00:00Z", -1],
  ])("%s in Berlin is %p", (at, place) => {
    expect(placeOf({ days: DAYS, interval: "day", zone: "Europe/Berlin" }, Date.parse(at))).toBe(place);
  });

  test("is that of a longer interval, to its end", () => {
    const of = (days: string[], interval: string, at: string) =>
      placeOf({ days, interval, zone: "UTC" }, Date.parse(at));
    expect(of(["2026-01-01", "2026-02-01"], "month", "2026-02-28T23:59:59Z")).toBe(1);
    expect(of(["2026-01-01", "2026-02-01"], "month", "2026-03-01T00:00:00Z")).toBe(-1);
    expect(of(["2026-01-05"], "week", "2026-01-11T23:00:00Z")).toBe(0);
    expect(of(["2026-01-05 10:00:00", "2026-01-05 11:00:00"], "hour", "2026-01-05T10:59:59Z")).toBe(0);
    expect(of([], "day", "2026-01-01T00:00:00Z")).toBe(-1);
  });

  test("leads back to an instant, in every zone and hour of a year", () => {
    for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]) {
      for (let hour = 0; hour < 8_760; hour += 7) {
        const text = new Date(Date.UTC(2026, 0, 1, hour)).toISOString().slice(0, 16);
        const at = instantOf(text, zone);
        // Of the hours that no clock shows the one after is taken.
        const isSkipped = fieldText(at, zone) !== text;
        if (isSkipped)
          expect(Math.abs(Date.parse(`${fieldText(at, zone)}Z`) - Date.parse(`${text}Z`))).toBeLessThanOrEqual(
            3_600_000,
          );
      }
      expect(fieldText(instantOf("2026-07-01T12:30", zone), zone)).toBe("2026-07-01T12:30");
    }
    expect(new Date(instantOf("2026-07-01", "Europe/Berlin")).toISOString()).toBe("2026-06-30T22:00:00.000Z");
  });
});

test("marks that would lie over each other are one, in their order", () => {
  const at = (leftPx: number) => ({ leftPx, item: leftPx });
  expect(grouped([at(60), at(10), at(27), at(28), at(10)], 18).map(({ items }) => items)).toEqual([
    [10, 10, 27],
    [28],
    [60],
  ]);
});
