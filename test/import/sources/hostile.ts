import { expect } from "bun:test";
import fc from "fast-check";
import { type Mapped, RowRejected } from "../../../src/import/mod.ts";
import type { Json, JsonObject } from "../../../src/types/mod.ts";

/** Values that no field expects. */
const odd: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  -1e308,
  2 ** 53 + 2,
  253402300800000,
  10n ** 30n,
  "",
  " ",
  "0",
  "\u0000",
  "\ud800",
  "a\udfffb",
  "x".repeat(5_000),
  "9999-12-31T23:59:59Z",
  "10000-01-01",
  "2024-02-30 00:00:00",
  "-271821-04-20",
  "NaN",
  "1e999",
  "__proto__",
  "constructor",
  "[Amplitude] Page Viewed",
  [],
  [null],
  [[[]]],
  {},
  { list: "no list" },
  { list: [null, 1, { element: null }] },
  { constructor: { prototype: 1 } },
  JSON.parse('{"__proto__": {"x": 1}, "hasOwnProperty": 2}'),
];

const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...(odd as Json[])) },
  { weight: 1, arbitrary: fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json> },
);

/** Rows of a good one with some of its members, at any depth, replaced by values that nobody expects, or left out. */
export function spoiled(good: JsonObject): fc.Arbitrary<JsonObject> {
  const paths = pathsIn(good);
  const change = fc.record({ path: fc.constantFrom(...paths), value: fc.option(value, { nil: undefined }) });
  return fc.array(change, { maxLength: 6 }).map((changes) => {
    const row = structuredClone(good);
    for (const { path, value } of changes) put(row, path, structuredClone(value));
    return row;
  });
}

function pathsIn(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

function put(row: JsonObject, path: readonly string[], value: Json | undefined): void {
  let at: Json | undefined = row;
  for (const name of path.slice(0, -1)) {
    if (typeof at !== "object" || at === null) return;
    at = (at as JsonObject)[name];
  }
  if (typeof at !== "object" || at === null) return;
  const name = path[path.length - 1]!;
  if (value === undefined) delete (at as JsonObject)[name];
  else Object.defineProperty(at, name, { value, enumerable: true, writable: true, configurable: true });
}

/** What a row becomes, in a form to compare; its reject counts as well. Fails for any other error. */
export function outcome(map: (row: JsonObject) => Mapped, row: JsonObject): string {
  try {
    return shown(map(row));
  } catch (error) {
    if (error instanceof RowRejected) return `rejected ${error.reason} ${error.message}`;
    throw error;
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab0-7c-f][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What every mapping keeps, whatever it is given. */
export function checkMapping(map: (row: JsonObject) => Mapped, good: JsonObject, runs = 500): void {
  const rows = fc.array(spoiled(good), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(rows, (rows) => {
      const first = rows.map((row) => outcome(map, structuredClone(row)));
      // The same rows in another order, as if they were the first ever mapped.
      const again = [...rows].reverse().map((row) => outcome(map, structuredClone(row)));
      expect(again.reverse()).toEqual(first);
      for (const row of rows) checkEvent(map, row);
    }),
    { numRuns: runs },
  );
}

function checkEvent(map: (row: JsonObject) => Mapped, row: JsonObject): void {
  let mapped: Mapped;
  try {
    mapped = map(row);
  } catch {
    return;
  }
  const events = "event" in mapped ? [mapped.event] : [];
  const firsts = "firsts" in mapped ? (mapped.firsts ?? []) : [];
  for (const { timestamp } of events) {
    expect(timestamp).toMatch(TIME);
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
  for (const event of [...events, ...firsts.map((first) => first.event)]) {
    expect(event.uuid).toMatch(UUID);
    expect(event.event.trim()).not.toBe("");
    expect(event.distinct_id.trim()).not.toBe("");
    expect(typeof event.properties).toBe("object");
  }
  for (const { key, atMs } of firsts) {
    expect(key).not.toBe("");
    expect(Number.isInteger(atMs)).toBe(true);
  }
}
