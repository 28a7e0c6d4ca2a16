import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { outlineOf } from "../../src/capture/payload/payload.ts";
import { parseExact, stringifyExact } from "../../src/import/exact.ts";
import { canonicalJson } from "../../src/import/mapping/mod.ts";
import { canonicalJson as canonicalFileJson } from "../../src/import/sources/file/canonical.ts";
import type { JsonObject } from "../../src/types/mod.ts";

const digits = (max: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: max });
const whole = digits(30).map((text) => text.replace(/^0+(?=.)/, ""));
const sign = fc.constantFrom("", "-");
const fraction = fc.oneof(
  fc.constant(""),
  fc.constant(".0"),
  digits(25).map((text) => `.${text}`),
);
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("e", "E", "e+", "E-"), digits(3)).map((parts) => parts.join("")) },
);
/** Any number that JSON has. */
const number = fc.tuple(sign, whole, fraction, exponent).map((parts) => parts.join(""));

/** What the front stores of JSON: blanks stand for the zeros that it leaves out. */
const asStored = (json: string): string => outlineOf(Buffer.from(json), 200).bytes.toString().replaceAll(" ", "");

describe("numbers", () => {
  test("are written as Weir stores them", () => {
    const places = fc.constantFrom<(text: string) => string>(
      (text) => `{"a":${text}}`,
      (text) => `{"a":{"b":[1,${text},"c"]}}`,
      (text) => `{"a":1,"b":${text}}`,
    );
    fc.assert(
      fc.property(number, places, (text, place) => {
        const json = place(text);
        expect(asStored(stringifyExact(parseExact(json)))).toBe(asStored(json));
        // As a column that holds JSON.
        expect(parseExact(JSON.stringify({ column: json }))).toEqual({ column: json });
      }),
      { numRuns: 3_000 },
    );
  });

  test("are the same number to an identity, however they are written", () => {
    for (const [written, plain] of [
      ["1e5", "100000"],
      ["1E-05", "0.00001"],
      ["0.0000001", "1e-7"],
      ["-0", "0"],
      ["1.50", "1.5"],
    ] as const) {
      const [a, b] = [written, plain].map((text) => parseExact(`{"a":${text}}`) as JsonObject);
      expect(canonicalJson(a!)).toBe(canonicalJson(b!));
      expect(canonicalFileJson(a)).toBe(canonicalFileJson(b));
    }
    expect(canonicalJson(parseExact('{"a":1E400}'))).toBe('{"a":1E400}');
  });

  test("are written with an indent, too", () => {
    expect(stringifyExact(parseExact('{"a":[12345678901234567890,1E400]}'), 2)).toBe(
      '{\n  "a": [\n    12345678901234567890,\n    1E400\n  ]\n}',
    );
  });
});
