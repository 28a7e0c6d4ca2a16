import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { localText } from "./naive/clock.ts";
import { hogql } from "./support.ts";

setDefaultTimeout(CASES_MS);

const QUARTER = 900_000;
const ZONES = [
  "UTC",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "Australia/Adelaide",
  "America/Sao_Paulo",
  "Europe/London",
  "Europe/Moscow",
  "Australia/Adelaide",
];

/** The first quarter of an hour from which on the local text begins as it does at `ms`. */
function startOf(ms: number, timezone: string, length: number): number {
  const prefix = localText(ms, timezone).slice(0, length);
  let start = Math.floor(ms / QUARTER) * QUARTER;
  while (localText(start - QUARTER, timezone).slice(0, length) === prefix) start -= QUARTER;
  return start;
}

/** Within a day and a half around changes of the clock, and anywhere from 1970 to 2070. */
const instant = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        "2020-03-08T07:00Z",
        "2020-11-01T06:00Z",
        "2018-11-04T03:00Z",
        "2011-12-30T10:00Z",
        "2020-10-03T16:30Z",
        "2020-10-25T01:00Z",
      ),
      fc.integer({ min: -130_000, max: 130_000 }),
    )
    .map(([change, seconds]) => Date.parse(change) + seconds * 1000),
  fc.integer({ min: 0, max: 3_155_760_000 }).map((seconds) => seconds * 1000),
);

test("local days and hours are those of the calendar", async () => {
  const lake = await MemoryLake.open();
  await fc.assert(
    fc.asyncProperty(
      fc.array(instant, { minLength: 1, maxLength: 20 }),
      fc.constantFrom(...ZONES),
      async (times, timezone) => {
        const sorted = [...new Set(times)].sort((a, b) => a - b);
        await lake.run("DELETE FROM events");
        await lake.add(sorted.map((timestampMs) => ({ event: "e", distinctId: "d", timestampMs })));
        const { results } = await hogql(
          lake,
          "select timestamp, toDate(timestamp), toHour(timestamp), toStartOfDay(timestamp), toStartOfMonth(timestamp), formatDateTime(timestamp, '%H:%i'), toStartOfHour(timestamp) from events order by timestamp",
          { timezone },
        );
        results.forEach((row, i) => {
          const local = localText(sorted[i]!, timezone);
          expect(Date.parse(String(row[0]))).toBe(sorted[i]!);
          expect(String(row[0]).slice(0, 19)).toBe(local.replace(" ", "T"));
          expect(row[1]).toBe(local.slice(0, 10));
          expect(row[2]).toBe(Number(local.slice(11, 13)));
          expect(Date.parse(String(row[3]))).toBe(startOf(sorted[i]!, timezone, 10));
          expect(row[4]).toBe(`${local.slice(0, 7)}-01`);
          expect(row[5]).toBe(local.slice(11, 16));
          // An hour told twice begins twice.
          const hour = Date.parse(String(row[6]));
          expect(String(row[6]).slice(11, 19)).toBe(`${local.slice(11, 13)}:00:00`);
          expect(sorted[i]! - hour).toBeWithin(0, 3_600_000);
        });
      },
    ),
    { numRuns: runs(30) },
  );
  await lake.close();
});
