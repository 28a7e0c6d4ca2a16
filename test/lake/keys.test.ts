import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { duplicateKey, KeyCollector, KeyFile, splitKey } from "../../src/lake/duplicates/keyFile.ts";
import { KeyTable } from "../../src/lake/duplicates/keyTable.ts";

describe("duplicate keys", () => {
  test("never change: they stand in files", () => {
    // Published vectors of xxHash64 with seed 0.
    expect(Bun.hash.xxHash64("")).toBe(0xef46db3751d8e999n);
    expect(Bun.hash.xxHash64("abc")).toBe(0x44bc2cf5ad770999n);
    expect(Bun.hash.xxHash64("Nobody inspects the spammish repetition")).toBe(0xfbcea83c8a378bf1n);
    const uuid = "0190f0e4-7c3a-7b7e-8a53-0d9c1f2e3a4b";
    expect(duplicateKey(1, 19732, "purchase", "user-1", uuid)).toBe(460512014593733046n);
    expect(duplicateKey(2 ** 40, -5, "käse 🎉\x1f", "", uuid)).toBe(9428049545950967217n);
  });

  test("keep name and id apart", () => {
    const uuid = "0190f0e4-7c3a-7b7e-8a53-0d9c1f2e3a4b";
    expect(duplicateKey(1, 1, "ab", "c", uuid)).not.toBe(duplicateKey(1, 1, "a", "bc", uuid));
    expect(duplicateKey(1, 11, "a", "b", uuid)).not.toBe(duplicateKey(11, 1, "a", "b", uuid));
  });
});

const anyKey = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** Many equal, many with an equal half, some at the ends. */
const key = fc.oneof(
  anyKey,
  fc.bigInt({ min: 0n, max: 20n }),
  fc.bigInt({ min: 0n, max: 20n }).map((n) => n << 32n),
  fc.bigInt({ min: 0n, max: 20n }).map((n) => 2n ** 64n - 1n - n),
);

describe("key file", () => {
  test("finds what was put in, and nothing else", () => {
    const entry = fc.record({
      team: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(2 ** 40 + 1)),
      day: fc.integer({ min: -3, max: 3 }),
      key,
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 300 }), fc.array(entry, { maxLength: 50 }), (entries, others) => {
        const collector = new KeyCollector();
        for (const e of entries) collector.add(e.team, e.day, e.key);
        // As it comes back from disk, at an odd offset.
        const bytes = collector.finish().bytes;
        const moved = new Uint8Array(bytes.length + 3);
        moved.set(bytes, 3);
        const file = new KeyFile(moved.subarray(3));
        expect(file.keyCount).toBe(entries.length);
        for (const e of [...entries, ...others]) {
          const range = file.range(e.team, e.day);
          const { low, high } = splitKey(e.key);
          const found = range !== null && file.has(range, low, high);
          expect(found).toBe(entries.some((x) => x.team === e.team && x.day === e.day && x.key === e.key));
        }
        const listed = [...file.groups()].flatMap((g) => [...g.keys].map((k) => [g.teamId, g.day, k] as const));
        const sorted = entries
          .map((e) => [e.team, e.day, e.key] as const)
          .sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1));
        expect(listed).toEqual(sorted);
      }),
    );
  });

  test("refuses other bytes", () => {
    expect(() => new KeyFile(new Uint8Array(3))).toThrow("not a file of duplicate keys");
    const cut = new KeyCollector();
    cut.add(1, 1, 1n);
    expect(() => new KeyFile(cut.finish().bytes.slice(0, 20))).toThrow("cut short");
  });
});

describe("key table", () => {
  test("agrees with a plain map while owners come and go", () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ add: fc.array(key, { maxLength: 2_000 }) }) },
      { weight: 2, arbitrary: fc.record({ remove: fc.nat({ max: 10 }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const table = new KeyTable();
        const model = new Map<number, bigint[]>();
        let next = 1;
        for (const s of steps) {
          if ("add" in s) {
            const owner = next++;
            model.set(owner, s.add);
            for (const k of s.add) table.add(splitKey(k).low, splitKey(k).high, owner);
          } else {
            table.remove(s.remove);
            model.delete(s.remove);
          }
        }
        const owners = new Map<bigint, Set<number>>();
        for (const [owner, keys] of model) {
          for (const k of keys) owners.set(k, (owners.get(k) ?? new Set()).add(owner));
        }
        expect(table.keyCount).toBe([...model.values()].reduce((sum, keys) => sum + keys.length, 0));
        for (const k of [0n, 1n, 5n << 32n, ...owners.keys()]) {
          const { low, high } = splitKey(k);
          const found = new Set<number>();
          for (let at = table.first(low, high); at !== -1; at = table.next(at, low, high)) found.add(table.ownerAt(at));
          expect(found).toEqual(owners.get(k) ?? new Set());
        }
      }),
      { numRuns: 40 },
    );
  });
});
