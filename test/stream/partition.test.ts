import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { partitionOfEvent } from "../../src/stream/link/partition.ts";
import { partitionOf } from "../../src/stream/mod.ts";
import { rawEventOf } from "./events.ts";

/** The same function written down plainly, with integers that cannot overflow. */
function reference(teamId: number, distinctId: string): bigint {
  const mask = 0xffff_ffffn;
  const units = [BigInt(teamId) & 0xffffn, (BigInt(teamId) & mask) >> 16n];
  for (let i = 0; i < distinctId.length; i++) units.push(BigInt(distinctId.charCodeAt(i)));
  let h = 0x811c9dc5n;
  for (const unit of units) h = ((h ^ unit) * 0x01000193n) & mask;
  h = ((h ^ (h >> 16n)) * 0x85ebca6bn) & mask;
  h = ((h ^ (h >> 13n)) * 0xc2b2ae35n) & mask;
  return h ^ (h >> 16n);
}

describe("the partition of a distinct_id", () => {
  test("never changes: the catalog's positions rest on it", () => {
    const vectors: [number, string, number, number][] = [
      [1, "", 3, 731],
      [1, "ann", 5, 349],
      [2, "ann", 5, 837],
      [1, "Ann", 8, 88],
      [65537, "ann", 4, 308],
      [1, "00000000-0000-0000-0000-000000000000", 2, 458],
      [1, "zoë@example.com", 5, 589],
      [1, "😀", 14, 270],
      [2147483647, "x".repeat(200), 6, 726],
    ];
    for (const [teamId, distinctId, of16, of1000] of vectors) {
      expect([distinctId, partitionOf(teamId, distinctId, 16), partitionOf(teamId, distinctId, 1000)]).toEqual([
        distinctId,
        of16,
        of1000,
      ]);
    }
  });

  test("is FNV-1a over UTF-16 units, finished with MurmurHash3's mixer", () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 31 - 1),
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 4096 }),
        (team, id, p) => {
          expect(partitionOf(team, id, p)).toBe(Number(reference(team, id) % BigInt(p)));
        },
      ),
    );
  });

  test("is the same for a raw event", () => {
    const ascii = fc.string({ unit: fc.constantFrom(..."aZ09 -_@.~") });
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), ascii, fc.integer({ min: 1, max: 4096 }), (teamId, distinctId, p) => {
        expect(partitionOfEvent(rawEventOf({ teamId, distinctId }), p)).toBe(partitionOf(teamId, distinctId, p));
      }),
    );
  });

  test("spreads ids that differ in one digit evenly", () => {
    const counts = new Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) counts[partitionOf(1, `user-${i}`, 16)]!++;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
