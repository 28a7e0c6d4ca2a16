import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { uuidV5 } from "../../src/types/mod.ts";

/** RFC 9562 version 5, written out: of the bytes of the namespace and of the name in UTF-8. */
function written(namespace: Uint8Array, name: string): string {
  const hash = createHash("sha1").update(namespace).update(new TextEncoder().encode(name)).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

test("uuids of names are as RFC 9562 has them, whatever the name", () => {
  expect(uuidV5(Buffer.from("6ba7b8109dad11d180b400c04fd430c8", "hex"), "www.example.com")).toBe(
    "2ed6657d-e927-568b-95e1-2665a8aea6a2",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3_000 }),
    fc.string({ unit: fc.constantFrom("\ud800", "\udc00", "a", "é", "日", "\0", "😀") }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), text, (namespace, name) => {
      expect(uuidV5(namespace, name)).toBe(written(namespace, name));
    }),
    { numRuns: 2_000 },
  );
});
