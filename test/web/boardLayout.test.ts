import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  arrange,
  type Box,
  COLUMNS,
  changed,
  compact,
  firstFree,
  move,
  readPlace,
  resize,
  step,
} from "../../src/web/app/pages/parts/board/layout.ts";

const side = fc.integer({ min: -3, max: 20 });
const wild = fc.oneof(side, fc.double(), fc.constant(null), fc.string());
const layouts = fc.oneof(
  fc.constant(null),
  fc.constant({}),
  fc.record({ sm: fc.record({ x: wild, y: wild, w: wild, h: wild }, { requiredKeys: [] }) }),
  fc.record({ sm: fc.record({ x: side, y: side, w: side, h: side }) }),
);
const size = fc.record({ w: fc.integer({ min: 2, max: 12 }), h: fc.integer({ min: 1, max: 8 }) });
const tiles = fc
  .array(fc.record({ layouts, size }), { maxLength: 14 })
  .map((list) => list.map((tile, i) => ({ id: i + 1, ...tile })));
const board = tiles.map(arrange);

/** Each cell of the board that two boxes claim, or that is outside of it. */
function faults(boxes: readonly Box[]): string[] {
  const owner = new Map<string, number>();
  const found: string[] = [];
  for (const { id, x, y, w, h } of boxes) {
    for (let column = x; column < x + w; column++) {
      if (column < 0 || column >= COLUMNS) found.push(`${id} leaves the board`);
      for (let row = y; row < y + h; row++) {
        const cell = `${column} ${row}`;
        if (owner.has(cell)) found.push(`${id} lies on ${owner.get(cell)} at ${cell}`);
        owner.set(cell, id);
      }
    }
  }
  return found;
}

const ids = (boxes: readonly Box[]) => boxes.map(({ id }) => id).sort((a, b) => a - b);

describe("a board", () => {
  test("has every tile once, none over another, none outside, whatever was saved", () => {
    fc.assert(
      fc.property(tiles, (list) => {
        const boxes = arrange(list);
        expect(faults(boxes)).toEqual([]);
        expect(ids(boxes)).toEqual(list.map(({ id }) => id));
      }),
    );
  });

  test("stays as it is when it is made compact again", () => {
    fc.assert(fc.property(board, (boxes) => expect(compact(boxes)).toEqual(boxes)));
  });

  test("is read in the same order as it is seen", () => {
    fc.assert(
      fc.property(board, (boxes) => {
        const keys = boxes.map(({ x, y }) => y * COLUMNS + x);
        expect(keys).toEqual([...keys].sort((a, b) => a - b));
      }),
    );
  });

  test("gives a new tile a free place of its size, and nothing else moves for it", () => {
    fc.assert(
      fc.property(board, size, (boxes, wish) => {
        const added = [...boxes, { id: 99, ...firstFree(boxes, wish) }];
        expect(faults(added)).toEqual([]);
        expect(added.at(-1)).toMatchObject(wish);
        expect(changed(added, compact(added))).toEqual([]);
      }),
    );
  });

  const somewhere = fc.record({ x: side, y: fc.integer({ min: -3, max: 60 }) });

  test("stays whole when a tile is moved", () => {
    fc.assert(
      fc.property(board, fc.nat(), somewhere, (boxes, pick, to) => {
        fc.pre(boxes.length > 0);
        const { id, w, h } = boxes[pick % boxes.length]!;
        const after = move(boxes, id, to);
        expect(faults(after)).toEqual([]);
        expect(ids(after)).toEqual(ids(boxes));
        expect(after.find((box) => box.id === id)).toMatchObject({ w, h });
      }),
    );
  });

  test("stays whole when a tile gets another size", () => {
    fc.assert(
      fc.property(board, fc.nat(), fc.record({ x: side, w: side, h: side }), (boxes, pick, to) => {
        fc.pre(boxes.length > 0);
        const after = resize(boxes, boxes[pick % boxes.length]!.id, to);
        expect(faults(after)).toEqual([]);
        expect(ids(after)).toEqual(ids(boxes));
      }),
    );
  });

  test("stays as it is when a tile is moved to where it is", () => {
    fc.assert(
      fc.property(board, fc.nat(), (boxes, pick) => {
        fc.pre(boxes.length > 0);
        const box = boxes[pick % boxes.length]!;
        expect(changed(boxes, move(boxes, box.id, box))).toEqual([]);
        expect(changed(boxes, resize(boxes, box.id, box))).toEqual([]);
      }),
    );
  });
});

describe("moving a tile", () => {
  const halves: readonly Box[] = [
    { id: 1, x: 0, y: 0, w: 6, h: 5 },
    { id: 2, x: 6, y: 0, w: 6, h: 5 },
    { id: 3, x: 0, y: 5, w: 6, h: 5 },
  ];
  const placeOf = (boxes: readonly Box[], id: number) => {
    const { x, y } = boxes.find((box) => box.id === id)!;
    return [x, y];
  };

  test("changes places with the one below once its lower edge is past the middle of that", () => {
    expect(changed(halves, move(halves, 1, { x: 0, y: 2 }))).toEqual([]);
    const after = move(halves, 1, { x: 0, y: 3 });
    expect([placeOf(after, 1), placeOf(after, 3)]).toEqual([
      [0, 5],
      [0, 0],
    ]);
  });

  test("changes places with one of its size that it is put upon", () => {
    const after = move(halves, 3, { x: 6, y: 1 });
    expect([placeOf(after, 3), placeOf(after, 2)]).toEqual([
      [6, 0],
      [0, 5],
    ]);
  });

  test("pushes down one of another size that it is put upon", () => {
    const after = move(resize(halves, 3, { h: 3 }), 3, { x: 6, y: 0 });
    expect([placeOf(after, 3), placeOf(after, 2)]).toEqual([
      [6, 0],
      [6, 3],
    ]);
  });

  test("by keyboard goes to the next place at which anything changes", () => {
    expect(placeOf(step(halves, 1, 0, 1), 1)).toEqual([0, 5]);
    expect(placeOf(step(halves, 3, 0, -1), 3)).toEqual([0, 0]);
    expect(step(halves, 1, 0, -1)).toBe(halves);
    expect(placeOf(step(halves, 3, 1, 0), 3)).toEqual([1, 5]);
  });

  test("by keyboard changes places with its like beside it", () => {
    const after = step(halves, 1, 1, 0);
    expect([placeOf(after, 1), placeOf(after, 2), placeOf(after, 3)]).toEqual([
      [6, 0],
      [0, 0],
      [0, 5],
    ]);
  });
});

test("a place that cannot be read is none", () => {
  expect(readPlace(null)).toBeNull();
  expect(readPlace({ sm: { x: 1, y: "2", w: 3, h: 4 } })).toBeNull();
  expect(readPlace({ xs: { x: 0, y: 0, w: 1, h: 5 } })).toBeNull();
  expect(readPlace({ sm: { x: 11, y: -2, w: 40, h: 0 } })).toEqual({ x: 0, y: 0, w: 12, h: 1 });
});
