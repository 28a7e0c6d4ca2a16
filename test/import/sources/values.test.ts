import { describe, expect, test } from "bun:test";
import { stringifyExact } from "../../../src/import/exact.ts";
import { Fields } from "../../../src/import/fields.ts";
import {
  canonicalJson,
  countryName,
  fromWallClock,
  isZone,
  numberOf,
  objectOf,
  Properties,
  parseTime,
  textOf,
  withoutNulls,
} from "../../../src/import/mapping/mod.ts";
import { RowRejected } from "../../../src/import/mod.ts";
import type { Json } from "../../../src/types/mod.ts";

const { rawJSON } = JSON as unknown as { rawJSON(text: string): Json };

describe("values of rows", () => {
  test("numbers that were kept as they were written are numbers, and no objects", () => {
    const raw = rawJSON("1.23456789012345678901");
    expect(objectOf(raw)).toBeNull();
    expect(textOf(raw)).toBe("1.23456789012345678901");
    expect(numberOf(raw)).toBeCloseTo(1.23456789, 8);
    expect(JSON.stringify(withoutNulls({ a: raw, b: null }))).toBe('{"a":1.23456789012345678901}');
    expect(canonicalJson({ b: raw, a: 1 })).toBe('{"a":1,"b":1.23456789012345678901}');
  });

  test("objects that are written as text keep all digits of their numbers", () => {
    const text = '{"id":12345678901234567890,"n":0.12345678901234567891,"deep":{"m":[9007199254740993]}}';
    const row = new Fields({ a: text, b: ` ${text}`, c: "{no", d: "[1]", e: rawJSON("1.23456789012345678901") });
    expect(stringifyExact(row.object("a"))).toBe(text);
    expect(stringifyExact(row.object("b"))).toBe(text);
    for (const name of ["c", "d", "e", "f"]) expect(row.object(name)).toBeNull();
    expect(row.text("e")).toBe("1.23456789012345678901");
  });

  test("that are nested too deeply are a reject", () => {
    let deep: Json = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(() => canonicalJson(deep)).toThrow(RowRejected);
    expect(() => withoutNulls(deep)).toThrow(RowRejected);
  });

  test("keys of any name are properties", () => {
    const properties = new Properties(JSON.parse('{"__proto__": 1, "constructor": 2}'));
    expect(JSON.stringify(properties.toObject())).toBe('{"__proto__":1,"constructor":2}');
    const sorted = JSON.parse('{"b": {"d": 1, "c": 2}, "__proto__": 3}') as Json;
    expect(canonicalJson(sorted)).toBe('{"__proto__":3,"b":{"c":2,"d":1}}');
  });

  test.each([
    ["2024-02-29", 1709164800000],
    ["2023-02-29", null],
    ["2024-01-31 10:00", 1706695200000],
    ["2024-01-31T10:00:00,5Z", 1706695200500],
    ["2024-01-31 10:00:00 UTC", 1706695200000],
    ["2024-01-31T24:00:00", null],
    ["0000-01-01T00:00:00Z", -62167219200000],
    ["9999-12-31T23:59:59.999Z", 253402300799999],
    ["31.01.2024", null],
  ])("the time %p", (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  test("of clocks in a zone", () => {
    expect(fromWallClock(Date.parse("2022-01-10T12:00:00Z"), "Asia/Kathmandu")).toBe(
      Date.parse("2022-01-10T06:15:00Z"),
    );
    expect([isZone("Europe/Berlin"), isZone("Mars/Base"), isZone("")]).toEqual([true, false, false]);
  });

  test("names of countries", () => {
    expect(["US", "GB", "AE", "in", "XX", "", "USA", "__"].map(countryName)).toEqual([
      ...["United States", "United Kingdom", "United Arab Emirates", "India"],
      ...[null, null, null, null],
    ]);
  });
});
