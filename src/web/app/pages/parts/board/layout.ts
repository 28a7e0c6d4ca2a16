/** How many columns a board has. */
export const COLUMNS = 12;
/** The size of a tile that nobody placed. */
export const INSIGHT_SIZE = { w: 6, h: 5 } as const;
export const TEXT_SIZE = { w: 12, h: 2 } as const;
export const SMALLEST = { w: 2, h: 1 } as const;
const HIGHEST = 40;

/** A place on the board, in columns and rows. */
export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Box extends Place {
  id: number;
}

/** The place in the layouts of a tile for wide screens, as PostHog keeps it; null where there is none that can be read. */
export function readPlace(layouts: unknown): Place | null {
  const wide = isRecord(layouts) ? layouts.sm : null;
  if (!isRecord(wide)) return null;
  const { x, y, w, h } = wide;
  const isRead = [x, y, w, h].every((value) => typeof value === "number" && Number.isFinite(value));
  return isRead ? inside(wide as unknown as Place) : null;
}

/**
 * Where tiles stand: those with a place as high as they can be in their columns, the others in the first free places.
 * No two overlap, and none leaves the board. In reading order.
 */
export function arrange(
  tiles: readonly { id: number; layouts: unknown; size: { w: number; h: number } }[],
): readonly Box[] {
  const read = tiles.map(({ id, layouts, size }) => ({ id, size, place: readPlace(layouts) }));
  let boxes = compact(read.flatMap(({ id, place }) => (place === null ? [] : [{ id, ...place }])));
  for (const { id, size, place } of read) if (place === null) boxes = [...boxes, { id, ...firstFree(boxes, size) }];
  return compact(boxes);
}

/** The first place from the top, then from the left, that has room. */
export function firstFree(boxes: readonly Place[], wish: { w: number; h: number }): Place {
  const { w, h } = inside({ x: 0, y: 0, ...wish });
  const bottom = boxes.reduce((low, box) => Math.max(low, box.y + box.h), 0);
  for (let y = 0; y < bottom; y++) {
    for (let x = 0; x + w <= COLUMNS; x++) {
      const place = { x, y, w, h };
      // Nothing may hang in the air: what is above it holds it there.
      if (!boxes.some((box) => overlap(box, place)) && rests(boxes, place)) return place;
    }
  }
  return { x: 0, y: bottom, w, h };
}

/** Boxes as high as they can be, in reading order. Those that overlapped are pushed down. */
export function compact(boxes: readonly Box[]): readonly Box[] {
  return inReadingOrder(stack(inReadingOrder(boxes)));
}

/**
 * The board after one box was moved: it has its new place as far as that can be, and the others make room. `boxes` are
 * as they were before the move began.
 */
export function move(boxes: readonly Box[], id: number, to: { x: number; y: number }): readonly Box[] {
  const before = boxes.find((box) => box.id === id);
  if (before === undefined) return boxes;
  const moved = { id, ...inside({ ...before, ...to }) };
  const others = inReadingOrder(boxes.filter((box) => box.id !== id));
  const twin = others.find((box) => isTwin(box, before, moved));
  if (twin !== undefined) {
    const places = new Map<number, Place>([
      [id, twin],
      [twin.id, before],
    ]);
    return compact(boxes.map((box) => ({ ...box, ...places.get(box.id), id: box.id })));
  }
  const isAbove = (box: Box) => {
    // What lay below it changes places with it once the lower edge has passed its middle.
    const wasBelow = box.y >= before.y + before.h && sharesColumns(box, before);
    return box.y + box.h / 2 <= (wasBelow ? moved.y + moved.h : moved.y);
  };
  return inReadingOrder(stack([...others.filter(isAbove), moved, ...others.filter((box) => !isAbove(box))]));
}

/** Whether a box of the same size in other columns changes places with the one that is put upon it. */
function isTwin(box: Box, before: Box, moved: { x: number; y: number }): boolean {
  const isAlike = box.w === before.w && box.h === before.h && !sharesColumns(box, before);
  return isAlike && box.x === moved.x && Math.abs(box.y - moved.y) <= box.h / 2;
}

/** The board after one box got another size, by its right, left or lower edge. */
export function resize(boxes: readonly Box[], id: number, to: Partial<Place>): readonly Box[] {
  const before = boxes.find((box) => box.id === id);
  if (before === undefined) return boxes;
  const sized = { id, ...inside({ ...before, ...to, y: before.y }) };
  const others = boxes.filter((box) => box.id !== id);
  return inReadingOrder(stack([sized, ...others].sort((a, b) => a.y - b.y || rank(a) - rank(b) || a.x - b.x)));
  function rank(box: Box): number {
    return box.id === id ? 0 : 1;
  }
}

/** One step by keyboard in a direction: to where the board really changes. */
export function step(boxes: readonly Box[], id: number, dx: number, dy: number): readonly Box[] {
  const before = boxes.find((box) => box.id === id);
  if (before === undefined) return boxes;
  const bottom = boxes.reduce((low, box) => Math.max(low, box.y + box.h), 0);
  for (let y = before.y + dy; dy !== 0 && y >= 0 && y <= bottom; y += dy) {
    const after = move(boxes, id, { x: before.x, y });
    if (!isSame(boxes, after)) return after;
  }
  if (dy !== 0) return boxes;
  const beside = { x: before.x + dx * before.w, y: before.y };
  const hasTwin = boxes.some((box) => box.x === beside.x && box.y === before.y && isTwin(box, before, beside));
  return move(boxes, id, hasTwin ? beside : { x: before.x + dx, y: before.y });
}

/** Boxes whose place is another than before. */
export function changed(before: readonly Box[], after: readonly Box[]): readonly Box[] {
  const old = new Map(before.map((box) => [box.id, box]));
  return after.filter((box) => !isEqual(old.get(box.id), box));
}

const isSame = (one: readonly Box[], other: readonly Box[]) => changed(one, other).length === 0;

const isEqual = (a: Place | undefined, b: Place) =>
  a !== undefined && a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

function inReadingOrder(boxes: readonly Box[]): readonly Box[] {
  return [...boxes].sort((a, b) => a.y - b.y || a.x - b.x || a.id - b.id);
}

/** Puts boxes down one after the other, each on what is in its columns already. */
function stack(boxes: readonly Box[]): readonly Box[] {
  const height = new Array<number>(COLUMNS).fill(0);
  return boxes.map((box) => {
    const y = Math.max(...height.slice(box.x, box.x + box.w));
    height.fill(y + box.h, box.x, box.x + box.w);
    return { ...box, y };
  });
}

function rests(boxes: readonly Place[], place: Place): boolean {
  return place.y === 0 || boxes.some((box) => box.y + box.h === place.y && sharesColumns(box, place));
}

const sharesColumns = (a: Place, b: Place) => a.x < b.x + b.w && b.x < a.x + a.w;
const overlap = (a: Place, b: Place) => sharesColumns(a, b) && a.y < b.y + b.h && b.y < a.y + a.h;

/** Within the board, whole, and neither too small nor without end. */
function inside({ x, y, w, h }: Place): Place {
  const width = clamp(Math.round(w), SMALLEST.w, COLUMNS);
  return {
    x: clamp(Math.round(x), 0, COLUMNS - width),
    y: Math.max(0, Math.round(y)),
    w: width,
    h: clamp(Math.round(h), SMALLEST.h, HIGHEST),
  };
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
