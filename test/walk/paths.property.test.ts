import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type PathsFound, type PathsProgram, PathsWalker } from "../../src/walk/mod.ts";
import { type Edge, type ItemRow, naiveEdges } from "./naivePaths.ts";
import { walkInParts } from "./support.ts";

const SECOND_US = 1_000_000;

/** What the walker finds in rows that come in slices of so many; edges that it tells of again are added up. */
function walk(rows: readonly ItemRow[], program: PathsProgram, sliceRows: number, parts = 1): Edge[] {
  const edges = new Map<string, Edge>();
  const keep = ({ rowCount, place, before, item, value, total }: PathsFound) => {
    for (let i = 0; i < rowCount; i++) {
      const key = `${place[i]} ${before[i]} ${item[i]}`;
      const known = edges.get(key) ?? { place: place[i]!, before: before[i]!, item: item[i]!, value: 0, ms: 0 };
      edges.set(key, { ...known, value: known.value + value[i]!, ms: known.ms + total[i]! });
    }
  };
  const make = () => new PathsWalker(program, keep);
  walkInParts(rows, parts, make, (own) =>
    Array.from({ length: Math.ceil(own.length / sliceRows) }, (_, i) => {
      const slice = own.slice(i * sliceRows, (i + 1) * sliceRows);
      return {
        rowCount: slice.length,
        actor: Uint32Array.from(slice, (row) => row.actor),
        us: Float64Array.from(slice, (row) => row.us),
        steps: Int32Array.from(slice, (row) => (row.isPoint ? 1 : 0)),
        excluded: null,
        value: Uint32Array.from(slice, (row) => row.item),
      };
    }),
  );
  return [...edges.values()];
}

const inOrder = (edges: Edge[]): Edge[] =>
  edges.toSorted((a, b) => a.place - b.place || a.before - b.before || a.item - b.item);

const world = fc.record({
  rows: fc.array(
    fc.record({
      actor: fc.constantFrom(0, 0, 0, 1),
      us: fc.integer({ min: 0, max: 12 }).map((second) => second * SECOND_US),
      item: fc.constantFrom(0, 1, 1, 2, 3),
    }),
    { maxLength: 14 },
  ),
  pointItem: fc.constantFrom(0, 1, 2),
  program: fc.record({
    kind: fc.constant("paths" as const),
    stepLimit: fc.constantFrom(1, 2, 3, 4, 255),
    pauseMs: fc.constantFrom(1000, 2000, 3000),
    point: fc.constantFrom("start" as const, "end" as const, null, null),
  }),
  sliceRows: fc.constantFrom(1, 2, 3, 100),
});

describe("the walker over paths", () => {
  test("finds what whole lists say", () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 1, max: 2 }), ({ rows, pointItem, program, sliceRows }, parts) => {
        const given = rows
          .toSorted((a, b) => a.actor - b.actor || a.us - b.us)
          .map((row) => ({ ...row, isPoint: row.item === pointItem }));
        expect(inOrder(walk(given, program, sliceRows, parts))).toEqual(inOrder(naiveEdges(given, program)));
      }),
      { numRuns: Number(process.env.WALKS ?? 20_000) },
    );
  });

  test("tells of more edges than it holds", () => {
    const program: PathsProgram = { kind: "paths", stepLimit: 5, pauseMs: 1000, point: null };
    const many = 300_000;
    // Each actor goes from an item of his own to a common one; all of them twice.
    const rows = Array.from({ length: 2 * many }, (_, n): ItemRow[] =>
      [1 + (n % many), many + 1].map((item, i) => ({ actor: n, us: n * SECOND_US + i * 1000, item, isPoint: false })),
    ).flat();
    const edges = walk(rows, program, 2048, 2);
    expect(edges.length).toBe(many);
    expect(
      edges.every(({ place, item, value, ms }) => place === 2 && item === many + 1 && value === 2 && ms === 2),
    ).toBe(true);
  });
});
