import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openData, writeData } from "../../../src/import/sources/umami/dataFile.ts";
import type { Json } from "../../../src/types/mod.ts";

const datum = fc.record({
  eventId: fc.constantFrom("a", "B", "c", "d"),
  key: fc.oneof(fc.constantFrom("k", "l", "__proto__", "constructor"), fc.string({ minLength: 1 })),
  value: fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.array(fc.integer())) as fc.Arbitrary<Json>,
});

test("properties of events are found again, in whatever order they were written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-umami-"));
  let files = 0;
  const file = async (batches: (typeof datum extends fc.Arbitrary<infer D> ? D : never)[][]) => {
    const path = join(folder, `${files++}.sqlite`);
    await writeData(
      path,
      (async function* () {
        yield* batches;
      })(),
    );
    return openData(path);
  };
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(datum, { maxLength: 6 }), { maxLength: 4 }), async (batches) => {
        const find = await file(batches);
        const turned = await file(batches.map((batch) => [...batch].reverse()).reverse());
        for (const id of ["A", "b", "c", "none"]) {
          const own = batches.flat().filter(({ eventId }) => eventId.toLowerCase() === id.toLowerCase());
          const wanted = new Map(own.map(({ key }) => [key, own.filter((other) => other.key === key)]));
          const found = find(id);
          expect(JSON.stringify(turned(id).toObject())).toBe(JSON.stringify(found.toObject()));
          expect(found.names().sort()).toEqual([...wanted.keys()].sort());
          for (const [key, values] of wanted) {
            expect(values.map(({ value }) => JSON.stringify(value))).toContain(JSON.stringify(found.get(key)));
          }
        }
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
