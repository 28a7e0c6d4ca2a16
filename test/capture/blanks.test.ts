import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Outline } from "../../src/capture/outline/outline.ts";
import { scanOutline } from "../../src/capture/outline/scan.ts";
import { DOCUMENT } from "./documents.ts";
import { outline } from "./slowOutline.ts";

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

function found(text: Buffer, maxDepth: number): Outline {
  const outline = scanOutline(text, maxDepth);
  if (typeof outline === "string") throw new Error(`${outline}: ${text}`);
  return outline;
}

test("numbers lose the zeros that end their fraction, in both scans, and nothing else changes", () => {
  const item = fc.oneof(
    number.map(({ text, shortened }) => [text, shortened]),
    number.map(({ text }) => [`"${text}"`, `"${text}"`]),
    number.map(({ text }) => [`["\\"${text}","1.0\\\\"]`, `["\\"${text}","1.0\\\\"]`]),
  );
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (all) => {
      const text = Buffer.from(`[${all.map(([given]) => given).join(", ")}]`);
      for (const { bytes } of [outline(text, 10), found(text, 10)]) {
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
      expect(JSON.parse(found(Buffer.from(text.toWellFormed()), 1000).bytes.toString())).toEqual(
        JSON.parse(text.toWellFormed()),
      );
    }),
    { numRuns: 2_000 },
  );
});
