import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Lake } from "../../src/lake/mod.ts";
import { emptyLake, hogql } from "./support.ts";

/** Of every kind: rules that go on, rules of the past, offsets of half an hour, a day that was skipped, none at all. */
const ZONES = [
  "UTC",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Africa/Casablanca",
  "Europe/Dublin",
  "Europe/Moscow",
  "+05:30",
];

/** The calendar's own answer to a time in the lake's form. */
function told(utc: string, timezone: string): string {
  const at = Temporal.PlainDateTime.from(utc).toZonedDateTime("UTC").withTimeZone(timezone);
  const local = at.toPlainDateTime().toString({ smallestUnit: "microsecond" }).replace(".000000", "");
  return local + (at.offsetNanoseconds === 0 ? "Z" : at.offset);
}

/** What an answer shows where the lake gives these times. */
async function shown(utc: readonly string[], timezone: string): Promise<unknown[]> {
  const rowsJson = JSON.stringify(utc.map((text) => [text]));
  const lake: Lake = { ...emptyLake, query: async (query) => ({ ...(await emptyLake.query(query)), rowsJson }) };
  const { results } = await hogql(lake, "select timestamp from events limit 50000", { timezone });
  return results.flat();
}

const textOf = (ms: number, micros: number): string =>
  new Date(ms).toISOString().slice(0, -1) + String(micros).padStart(3, "0");

/** The changes of a zone's clock, and a little before and after each. */
function changesOf(timezone: string): string[] {
  const texts: string[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(Date.UTC(1800, 0, 1))
    .toZonedDateTimeISO(timezone)
    .getTimeZoneTransition("next");
  while (at !== null && at.epochMilliseconds < Date.UTC(2060, 0, 1)) {
    const ms = at.epochMilliseconds;
    texts.push(textOf(ms - 1, 999), textOf(ms, 0), textOf(ms, 1), textOf(ms - 1_000, 0), textOf(ms + 3_600_000, 0));
    at = at.getTimeZoneTransition("next");
  }
  return texts;
}

const instant = fc
  .tuple(fc.integer({ min: Date.UTC(0, 0, 1), max: Date.UTC(9999, 11, 31) }), fc.constantFrom(0, 1, 999))
  .map(([ms, micros]) => textOf(micros === 0 ? Math.floor(ms / 1_000) * 1_000 : ms, micros));

test.each(ZONES)("times of %s are those of the calendar, in any order", async (timezone) => {
  const changes = changesOf(timezone);
  const around = changes.length === 0 ? instant : fc.oneof(fc.constantFrom(...changes), instant);
  expect(await shown(changes, timezone)).toEqual(changes.map((utc) => told(utc, timezone)));
  await fc.assert(
    fc.asyncProperty(fc.array(around, { minLength: 1, maxLength: 50 }), async (times) => {
      expect(await shown(times, timezone)).toEqual(times.map((utc) => told(utc, timezone)));
    }),
  );
});

test("times of no calendar's year, of five digits, or of none are shown as they are", async () => {
  const odd = [
    "infinity",
    "+012021-05-01T12:00:00.000000",
    "-000044-03-15T12:00:00.000000",
    "0044-03-15T12:00:00.000001",
  ];
  expect(await shown(odd, "America/New_York")).toEqual([
    odd[0]!,
    ...odd.slice(1).map((utc) => told(utc, "America/New_York")),
  ]);
});
