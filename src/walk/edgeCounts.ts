import type { Part } from "./walker.ts";

/** More edges are not held at once: it bounds the memory to some 12 MB. */
const MOST = 1 << 18;
const FEWEST = 1 << 10;

/** Told of an edge: how often it was walked, and the milliseconds between its steps, added up. */
export type TellEdge = (edge: { place: number; before: number; item: number; count: number; ms: number }) => void;

/** Counts edges: an item at a place of a path, and the item at the place before. A table of open addresses, half full at most. */
export class EdgeCounts {
  private size = FEWEST;
  private edges = 0;
  private places = new Uint8Array(FEWEST);
  private befores = new Uint32Array(FEWEST);
  private items = new Uint32Array(FEWEST);
  /** 0 where there is no edge. */
  private counts = new Uint32Array(FEWEST);
  private times = new Float64Array(FEWEST);

  /** `tell`: takes edges that are too many to hold; it may be told of an edge again. */
  constructor(private readonly tell: TellEdge) {}

  /** Counts an edge, `times` times. `place`: below 256; `ms`: of all times together. */
  add(place: number, before: number, item: number, ms: number, times = 1): void {
    const at = this.slotOf(place, before, item);
    if (this.counts[at] === 0) {
      this.places[at] = place;
      this.befores[at] = before;
      this.items[at] = item;
      this.edges++;
    }
    this.counts[at]! += times;
    this.times[at]! += ms;
    if (this.edges * 2 > this.size) this.makeRoom();
  }

  /** All that is held, by columns; where the count is 0 there is nothing. */
  part(): Part {
    return [this.places, this.befores, this.items, this.counts, this.times];
  }

  addPart([places, befores, items, counts, times]: Part): void {
    for (let i = 0; i < counts!.length; i++) {
      if (counts![i] !== 0) this.add(places![i]!, befores![i]!, items![i]!, times![i]!, counts![i]!);
    }
  }

  /** Tells of all edges, and forgets them. */
  tellAll(): void {
    const { places, befores, items, counts, times } = this;
    for (let at = 0; at < this.size; at++) {
      if (counts[at] === 0) continue;
      this.tell({
        place: places[at]!,
        before: befores[at]!,
        item: items[at]!,
        count: counts[at]!,
        ms: times[at]!,
      });
    }
    counts.fill(0);
    times.fill(0);
    this.edges = 0;
  }

  private slotOf(place: number, before: number, item: number): number {
    const { places, befores, items, counts } = this;
    const last = this.size - 1;
    let hash = Math.imul(before, 0x9e37_79b1) ^ Math.imul(item + place, 0x85eb_ca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
    let at = (hash ^ (hash >>> 13)) & last;
    while (counts[at] !== 0 && (items[at] !== item || befores[at] !== before || places[at] !== place)) {
      at = (at + 1) & last;
    }
    return at;
  }

  private makeRoom(): void {
    if (this.edges >= MOST) {
      this.tellAll();
      return;
    }
    const { size, places, befores, items, counts, times } = this;
    this.size = size * 2;
    this.places = new Uint8Array(this.size);
    this.befores = new Uint32Array(this.size);
    this.items = new Uint32Array(this.size);
    this.counts = new Uint32Array(this.size);
    this.times = new Float64Array(this.size);
    for (let from = 0; from < size; from++) {
      if (counts[from] === 0) continue;
      const at = this.slotOf(places[from]!, befores[from]!, items[from]!);
      this.places[at] = places[from]!;
      this.befores[at] = befores[from]!;
      this.items[at] = items[from]!;
      this.counts[at] = counts[from]!;
      this.times[at] = times[from]!;
    }
  }
}
