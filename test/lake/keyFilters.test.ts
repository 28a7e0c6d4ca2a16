import { expect, test } from "bun:test";
import fc from "fast-check";
import { KeyFile } from "../../src/lake/duplicates/keyFile.ts";
import type { KeyFilter } from "../../src/lake/duplicates/keyFilter.ts";
import { type HeldKeys, KeyFilters, type Search } from "../../src/lake/duplicates/keyFilters.ts";
import { Random } from "../support/random.ts";

const MiB = 1024 ** 2;
const random = new Random(7);

const half = () => random.int(0, 2 ** 32 - 1);
const newKeys = (count: number) => Array.from({ length: count }, () => (BigInt(half()) << 32n) | BigInt(half()));

function fileOf(segmentId: string, keys: readonly bigint[], day = 20_000): HeldKeys {
  const file = KeyFile.of([{ teamId: 1, day, keys: BigUint64Array.from(keys).sort() }]);
  return { segmentId, keys: file, range: file.range(1, day)! };
}

const passes = (filter: KeyFilter, key: bigint) => filter.mayHold(Number(key & 0xffff_ffffn), Number(key >> 32n));

/** Looks of ten thousand keys. */
function ask(filters: KeyFilters, files: readonly HeldKeys[], day = 20_000): Search {
  filters.begin();
  return filters.search({ teamId: 1, day, asked: 10_000 }, files);
}

const idsOf = (files: readonly HeldKeys[]) => files.map(({ segmentId }) => segmentId);

test("a filter passes each key of the files behind it, and few others", () => {
  const filters = new KeyFilters(32 * MiB);
  const keys = [1, 2, 3, 4].map(() => newKeys(5_000));
  const files = keys.map((own, i) => fileOf(`s${i}`, own));
  const { filter, beside, behind } = ask(filters, files);
  expect([beside.length, idsOf(behind)]).toEqual([0, ["s0", "s1", "s2", "s3"]]);
  expect(keys.flat().every((key) => passes(filter!, key))).toBe(true);
  const others = newKeys(10_000).filter((key) => passes(filter!, key));
  expect(others.length).toBeLessThan(500);
});

test("a file that came later is covered when it is first asked for", () => {
  const filters = new KeyFilters(32 * MiB);
  const keys = [1, 2, 3, 4].map(() => newKeys(1_000));
  const files = keys.map((own, i) => fileOf(`s${i}`, own));
  ask(filters, files);
  const [late, merged] = [newKeys(500), fileOf("merged", keys.slice(0, 2).flat())];
  const { filter, beside, behind } = ask(filters, [merged, ...files.slice(2), fileOf("late", late)]);
  expect([beside.length, behind.length]).toEqual([0, 4]);
  expect([...keys.flat(), ...late].every((key) => passes(filter!, key))).toBe(true);
});

test("few files, and keys that are seldom asked for, need no filter", () => {
  const filters = new KeyFilters(32 * MiB);
  const files = [1, 2, 3].map((i) => fileOf(`s${i}`, newKeys(100_000)));
  expect(ask(filters, files.slice(0, 2)).beside).toHaveLength(2);
  filters.begin();
  expect(filters.search({ teamId: 1, day: 20_000, asked: 10 }, files).beside).toHaveLength(3);
  expect(filters.bytes).toBe(0);
});

test("many keys are taken in by and by, and the files not yet taken in are searched", () => {
  const filters = new KeyFilters(32 * MiB);
  const files = [1, 2, 3, 4, 5].map((i) => fileOf(`s${i}`, newKeys(300_000)));
  const counts: [beside: number, behind: number][] = [];
  for (let check = 0; check < 5; check++) {
    const { beside, behind } = ask(filters, files);
    expect(new Set(idsOf([...beside, ...behind])).size).toBe(5);
    counts.push([beside.length, behind.length]);
  }
  // 50,000 looks a check, for 1,500,000 keys.
  expect(counts).toEqual([
    [5, 0],
    [1, 4],
    [0, 5],
    [0, 5],
    [0, 5],
  ]);
});

test("filters of all days together keep to their memory, and every file is searched", () => {
  const day = fc.record({ day: fc.integer({ min: 0, max: 5 }), keys: fc.integer({ min: 1, max: 3_000 }) });
  fc.assert(
    fc.property(fc.array(day, { maxLength: 40 }), fc.constantFrom(64, 4_096, 65_536), (asked, maxBytes) => {
      const filters = new KeyFilters(maxBytes);
      for (const { day, keys } of asked) {
        const files = [1, 2, 3].map((i) => fileOf(`d${day} s${i} ${keys}`, newKeys(keys), day));
        const { filter, beside, behind } = ask(filters, files, day);
        expect(filters.bytes).toBeLessThanOrEqual(maxBytes);
        expect(new Set(idsOf([...beside, ...behind]))).toEqual(new Set(idsOf(files)));
        expect(filter !== null || behind.length === 0).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test("the filter of a day that is not asked for any more gives way to others", () => {
  const filters = new KeyFilters(64 * 1024);
  const filesOf = (day: number) => [1, 2, 3].map((i) => fileOf(`d${day} s${i}`, newKeys(5_000), day));
  const [first, second, third] = [filesOf(1), filesOf(2), filesOf(3)];
  expect(ask(filters, first, 1).filter).not.toBeNull();
  expect(ask(filters, second, 2).filter).not.toBeNull();
  expect(ask(filters, third, 3).filter).toBeNull();
  for (let check = 0; check < 20; check++) ask(filters, third, 3);
  expect(ask(filters, third, 3).behind).toHaveLength(3);
  expect(filters.bytes).toBeLessThanOrEqual(64 * 1024);
});

test("a filter of the largest size takes more keys than it has room for, and leaves as much memory to others", () => {
  const filters = new KeyFilters(8 * 1024);
  const large = [1, 2, 3].map(() => newKeys(2_000));
  const files = large.map((keys, i) => fileOf(`large ${i}`, keys));
  const { filter, behind } = ask(filters, files);
  expect([filters.bytes, behind.length]).toEqual([4 * 1024, 3]);
  expect(large.flat().every((key) => passes(filter!, key))).toBe(true);
  const small = [1, 2, 3].map((i) => fileOf(`small ${i}`, newKeys(10), 1));
  expect(ask(filters, small, 1).filter).not.toBeNull();
});
