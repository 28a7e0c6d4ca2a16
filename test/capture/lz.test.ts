import { expect, test } from "bun:test";
import fc from "fast-check";
import LZString from "lz-string";
import { unpackLz64 } from "../../src/capture/body/lz.ts";

const TEXT = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(fc.constantFrom("a", "b", "ab", '{"a":', "é", "😀"), { maxLength: 2000 }).map((parts) => parts.join("")),
);

test("what the package packs is unpacked, within the bound", () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      const packed = LZString.compressToBase64(text);
      expect(unpackLz64(packed, text.length)).toEqual({ text });
      if (text.length > 0) expect(unpackLz64(packed, text.length - 1)).toBe("too_long");
    }),
    { numRuns: 500 },
  );
});

test("damaged input ends, and gives what the package gives or nothing", () => {
  const damaged = fc.tuple(TEXT, fc.nat(), fc.constantFrom("", "A", "/", "%", "é")).map(([text, at, inserted]) => {
    const packed = LZString.compressToBase64(text);
    const cut = at % (packed.length + 1);
    return packed.slice(0, cut) + inserted + packed.slice(cut + 1);
  });
  fc.assert(
    fc.property(damaged, (packed) => {
      const found = unpackLz64(packed, 1_000_000);
      if (typeof found === "object" && /^[A-Za-z0-9+/]*=*$/.test(packed)) {
        expect(LZString.decompressFromBase64(packed)).toBe(found.text);
      }
    }),
    { numRuns: 1000 },
  );
});
