/** A process of its own, in which nothing else comes and goes: prints how much memory stays when something is remembered of many frames. */
import { heapStats } from "bun:jsc";
import { PersonCache } from "../../src/runtime/personCache.ts";
import { type LogRow, ownText, personIdOf, VERSION_SOURCE } from "../../src/types/mod.ts";

export const FRAMES = 300;
export const FRAME_BYTES = 1024 ** 2 / 4;

/** Bytes that are left after `remember` has seen an id of each frame. */
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

function main(): void {
  const [cut, own]: [Set<string>, Set<string>] = [new Set(), new Set()];
  const cache = new PersonCache(10 * FRAMES);
  const known: string[] = [];
  const learn = (distinctId: string) => {
    const subject = { type: "person", distinctId, personId: personIdOf(1, ownText(distinctId)) } as const;
    const version = { source: VERSION_SOURCE.live, tMs: 1, ordinal: 1 };
    cache.adopt([{ kind: "seen", teamId: 1, subject, version, atMs: 1 } satisfies LogRow]);
    known.push(ownText(distinctId));
  };
  const left = {
    cut: leftAfter((id) => cut.add(id)),
    own: leftAfter((id) => own.add(ownText(id))),
    ids: leftAfter((id) => personIdOf(1, id)),
    cache: leftAfter(learn),
  };
  const remembered = [cut.size, own.size, known.filter((id) => cache.person(1, id) !== null).length];
  console.log(JSON.stringify({ left, remembered }));
}

if (import.meta.main) main();
