import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseTimestamp } from "../../src/capture/event/timestamp.ts";

test("any instant, in any zone and with any fraction, comes back to the millisecond", () => {
  const instant = fc.date({
    min: new Date("0000-01-02T00:00:00Z"),
    max: new Date("9999-12-30T00:00:00Z"),
    noInvalidDate: true,
  });
  const two = (n: number) => String(n).padStart(2, "0");
  fc.assert(
    fc.property(
      instant,
      fc.integer({ min: -14 * 60, max: 14 * 60 }),
      fc.constantFrom("T", "t", " "),
      fc.constantFrom("", ":", "Z"),
      (date, zone, separator, style) => {
        const minutes = style === "Z" ? 0 : zone;
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1).replace("T", separator);
        const size = Math.abs(minutes);
        const hours = two(Math.trunc(size / 60));
        const offset = style === "Z" ? "Z" : `${minutes < 0 ? "-" : "+"}${hours}${style}${two(size % 60)}`;
        expect(parseTimestamp(local + offset)).toBe(date.getTime());
        expect(parseTimestamp(`${local}999${offset}`)).toBe(date.getTime());
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([
  ["2020-08-16T09:03:11.913Z", "2020-08-16T09:03:11.913Z"],
  ["2020-08-16T09:03:11.913767", "2020-08-16T09:03:11.913Z"],
  ["2020-08-16T09:03:11.9", "2020-08-16T09:03:11.900Z"],
  ["2023-01-01T12:00:00+03:00", "2023-01-01T09:00:00.000Z"],
  ["2023-01-01T12:00:00.500+03", "2023-01-01T09:00:00.500Z"],
  ["2023-01-01T12:00:00-0530", "2023-01-01T17:30:00.000Z"],
  ["2023-01-05", "2023-01-05T00:00:00.000Z"],
  ["2023-01-05 01:02:03", "2023-01-05T01:02:03.000Z"],
  ["2023-01-05T01:02", "2023-01-05T01:02:00.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
])("%s is %s", (text, iso) => {
  expect(new Date(parseTimestamp(text)!).toISOString()).toBe(iso);
});

test.each([
  "",
  "not a date",
  "2023-13-01",
  "2023-02-29",
  "2100-02-29",
  "2023-00-10",
  "2023-01-00",
  "2023-01-05T",
  "2023-01-05T24:00:00",
  "2023-01-05T10:60:00",
  "2023-01-05T10:00:00.",
  "2023-01-05T10:00:00Zx",
  "2023-01-05T10:00:00+3",
  "2023-01-05T10:00:00+03:",
  "2023-01-05T10:00:00+0x",
  "2023-01-05T10:00:00 +03:00",
  " 2023-01-05",
  "12023-01-05",
])("%p is no time", (text) => {
  expect(parseTimestamp(text)).toBeNull();
});
