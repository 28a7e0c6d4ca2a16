import { expect, test } from "bun:test";
import fc from "fast-check";
import { areLongerThan, cutUnits } from "../../src/capture/event/text.ts";
import { cleanJson, cleanText, cutCharacters } from "../../src/json/mod.ts";

const ANY = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
const TRICKY = fc
  .array(fc.constantFrom("\0", "\ud83d", "\ude00", "\\", "u0000", "\\u0000", '"', "d83d", "😀", "a"))
  .map((all) => all.join(""));

test("raw JSON is cleaned as its value would be", () => {
  fc.assert(
    fc.property(fc.oneof(ANY, TRICKY), fc.boolean(), (text, upper) => {
      const written = JSON.stringify({ [text]: text });
      const json = upper ? written.replace(/\\u[0-9a-f]{4}/g, (e) => `\\u${e.slice(2).toUpperCase()}`) : written;
      expect(JSON.parse(cleanJson(json))).toEqual({ [cleanText(text)]: cleanText(text) });
    }),
    { numRuns: 2000 },
  );
});

test("a pair written as two escapes stays, halves become U+FFFD", () => {
  expect(cleanJson('"\\ud83d\\ude00 \\uDE00\\uD83D \\\\ud83d \\\\\\u0000"')).toBe(
    '"\\ud83d\\ude00 \\ufffd\\ufffd \\\\ud83d \\\\\\ufffd"',
  );
  expect(cleanText("a\0b\ud800c😀")).toBe("a\ufffdb\ufffdc😀");
});

test("cuts never split a surrogate pair", () => {
  fc.assert(
    fc.property(ANY, fc.integer({ min: 1, max: 12 }), (any, max) => {
      const text = any.toWellFormed();
      expect(cutCharacters(text, max)).toBe([...text].slice(0, max).join(""));
      const cut = cutUnits(text, max);
      expect(cut.isWellFormed()).toBe(true);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeWithin(Math.min(text.length, max) - 1, max + 1);
    }),
  );
});

test("length in bytes", () => {
  fc.assert(
    fc.property(fc.array(ANY, { maxLength: 3 }), fc.nat(60), (any, max) => {
      const bytes = Buffer.from(any.map((text) => text.toWellFormed()).join(""));
      const texts = any.map((text) => text.toWellFormed());
      expect(areLongerThan(texts, max)).toBe(bytes.length > max);
      expect(areLongerThan([...texts, { bytes, start: 0, end: bytes.length }], max)).toBe(bytes.length * 2 > max);
    }),
  );
});
