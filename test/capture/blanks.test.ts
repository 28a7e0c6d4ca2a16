import { expect, test } from "bun:test";
import fc from "fast-check";
import { withoutZeros } from "../../src/capture/outline/blanks.ts";
import { fastOutline } from "../../src/capture/outline/fastScan.ts";
import { outline } from "../../src/capture/outline/scan.ts";
import { DOCUMENT } from "./documents.ts";

const digits = (minLength: number) => fc.string({ unit: fc.constantFrom("0", "0", "1", "9"), minLength, maxLength: 6 });
const number = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: fc.constantFrom("0", "1", "10", "1200"),
    fraction: fc.option(digits(1), { nil: null }),
    exponent: fc.option(fc.constantFrom("e2", "E-10", "e+0"), { nil: null, freq: 5 }),
  })
  .map(({ sign, whole, fraction, exponent }) => ({
    text: `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent ?? ""}`,
    shortened:
      fraction === null || exponent !== null
        ? `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent ?? ""}`
        : `${sign}${whole}.${fraction}`.replace(/\.?0+$/, ""),
  }));

test("numbers lose the zeros that end their fraction, in both scans, and nothing else changes", () => {
  const item = fc.oneof(
    number.map(({ text, shortened }) => [text, shortened]),
    number.map(({ text }) => [`"${text}"`, `"${text}"`]),
    number.map(({ text }) => [`["\\"${text}","1.0\\\\"]`, `["\\"${text}","1.0\\\\"]`]),
  );
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (all) => {
      const text = Buffer.from(`[${all.map(([given]) => given).join(", ")}]`);
      for (const { bytes } of [outline(text, 10), fastOutline(text, 10)!]) {
        expect(bytes.length).toBe(text.length);
        expect(bytes.toString().replace(/ +(?=[,\]])/g, "")).toBe(`[${all.map(([, made]) => made).join(", ")}]`);
      }
      expect(text.toString()).toBe(`[${all.map(([given]) => given).join(", ")}]`);
    }),
    { numRuns: 2_000 },
  );
});

test("what JSON.parse finds stays the same", () => {
  fc.assert(
    fc.property(DOCUMENT, (text) => {
      expect(JSON.parse(withoutZeros(Buffer.from(text.toWellFormed())).toString())).toEqual(
        JSON.parse(text.toWellFormed()),
      );
    }),
    { numRuns: 2_000 },
  );
});
