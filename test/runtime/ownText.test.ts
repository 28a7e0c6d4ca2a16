import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { PersonCache } from "../../src/runtime/personCache.ts";
import { type LogRow, ownText, personIdOf, VERSION_SOURCE } from "../../src/types/mod.ts";

const MiB = 1024 ** 2;
const FRAMES = 300;
const FRAME_BYTES = MiB / 4;

/** Memory that is left after `remember` has seen an id of each of many frames. */
function leftAfter(remember: (id: string) => void): number {
  Bun.gc(true);
  const before = heapStats().extraMemorySize;
  for (let i = 0; i < FRAMES; i++) {
    const frame = new TextDecoder().decode(Buffer.from(`${crypto.randomUUID()} `.padEnd(FRAME_BYTES, "x")));
    remember(frame.slice(0, 36));
  }
  Bun.gc(true);
  return heapStats().extraMemorySize - before;
}

test("a text that is cut out of a frame keeps the frame in memory, a copy of it does not", () => {
  const [cut, own]: [Set<string>, Set<string>] = [new Set(), new Set()];
  expect(leftAfter((id) => cut.add(id))).toBeGreaterThan((FRAMES * FRAME_BYTES) / 2);
  expect(leftAfter((id) => own.add(ownText(id)))).toBeLessThan(8 * MiB);
  expect([cut.size, own.size]).toEqual([FRAMES, FRAMES]);
  expect(ownText("a\ud800b")).toBe("a\ud800b");
});

test("what is remembered of persons keeps no frame in memory", () => {
  expect(leftAfter((id) => personIdOf(1, id))).toBeLessThan(8 * MiB);
  const cache = new PersonCache(10 * FRAMES);
  const known: string[] = [];
  const learn = (distinctId: string) => {
    const subject = { type: "person", distinctId, personId: personIdOf(1, ownText(distinctId)) } as const;
    const version = { source: VERSION_SOURCE.live, tMs: 1, ordinal: 1 };
    cache.adopt([{ kind: "seen", teamId: 1, subject, version, atMs: 1 } satisfies LogRow]);
    known.push(ownText(distinctId));
  };
  expect(leftAfter(learn)).toBeLessThan(8 * MiB);
  expect(known.every((id) => cache.person(1, id) !== null)).toBe(true);
});
