import { type ActorWalk, NO_CODE, type Tell } from "./actorWalk.ts";
import type { Found } from "./found.ts";
import type { FunnelSink } from "./funnelFound.ts";
import { Instant } from "./instant.ts";
import { OneChain } from "./oneChain.ts";
import { OrderedWalk } from "./ordered.ts";
import type { FunnelProgram } from "./program.ts";
import { UnorderedWalk } from "./unordered.ts";
import type { Part, Slice, Walker } from "./walker.ts";

/** Finds the attempt that counts of each actor, by value and bucket where there are any. */
export class FunnelWalker implements Walker {
  private readonly walk: ActorWalk;
  /** Takes events that are alone at their times; null where these are more than steps in the window. */
  private readonly direct: OneChain | null;
  private readonly instant = new Instant();
  private readonly bucketStartsUs: Float64Array | null;
  private readonly isByValue: boolean;
  private readonly isByStep: boolean;
  private hasRows = false;
  /** `instant` has events that the walk has not taken. */
  private isPending = false;
  private actor = 0;
  private bucket = -1;
  /** Of the first and the last row that has one, with `all` of every row. */
  private first = NO_CODE;
  private firstUs = 0;
  private last = NO_CODE;
  private lastUs = 0;

  constructor(
    private readonly program: FunnelProgram,
    private readonly sink: FunnelSink,
  ) {
    this.walk = walkOf(program);
    const starts = program.bucketStartsMs;
    this.bucketStartsUs = starts === null ? null : Float64Array.from(starts, (ms) => ms * 1000);
    this.isByValue = program.attribution === "all";
    this.isByStep = typeof program.attribution === "number";
    const { walk } = this;
    this.direct = walk instanceof OneChain && walk.isSimple ? walk : null;
  }

  get found(): Found {
    return this.sink.found;
  }

  /** Takes the next rows. */
  take(slice: Slice): void {
    const { direct, instant } = this;
    const { rowCount, us, value } = slice;
    for (let row = 0; row < rowCount; ) {
      this.goTo(slice, row);
      const end = direct === null || this.isPending ? row : aloneUntil(slice, row, this.isByValue);
      if (value !== null && !this.isByValue) this.note(us, value, row, end > row ? end : row + 1);
      if (end > row) {
        direct!.takeAlone(slice, row, end);
        row = end;
        continue;
      }
      if (!this.isPending) instant.begin(us[row]!);
      this.isPending = true;
      this.add(slice, row++);
    }
  }

  part(): Part {
    this.finishActor();
    this.hasRows = false;
    return this.sink.part();
  }

  addPart(part: Part): void {
    this.sink.addPart(part);
  }

  /** There are no more rows. */
  end(): void {
    this.finishActor();
    this.sink.end();
  }

  /** To the actor of a row, and past the instant before it. */
  private goTo({ actor, us, value }: Slice, row: number): void {
    const own = value === null ? NO_CODE : value[row]!;
    if (!this.hasRows || actor[row] !== this.actor || (this.isByValue && own !== this.first)) {
      this.finishActor();
      this.beginActor(actor[row]!, own);
    } else if (this.isPending && us[row] !== this.instant.us) {
      this.takeInstant();
    }
  }

  private add({ steps, excluded, value }: Slice, row: number): void {
    const own = this.isByStep ? value![row]! : NO_CODE;
    this.instant.add(steps[row]!, excluded === null ? 0 : excluded[row]!, own, 1);
  }

  private beginActor(actor: number, value: number): void {
    this.hasRows = true;
    this.actor = actor;
    this.bucket = this.bucketStartsUs === null ? 0 : -1;
    this.first = this.isByValue ? value : NO_CODE;
    this.last = this.first;
  }

  /** The values of rows of one actor; at one instant the lesser value is the first one. */
  private note(us: Float64Array, value: Uint32Array, from: number, to: number): void {
    let { first, firstUs, last, lastUs } = this;
    for (let row = from; row < to; row++) {
      const own = value[row]!;
      if (own === NO_CODE) continue;
      const at = us[row]!;
      if (first === NO_CODE || (at === firstUs && own < first)) {
        first = own;
        firstUs = at;
      }
      if (last === NO_CODE || at > lastUs || own > last) {
        last = own;
        lastUs = at;
      }
    }
    this.first = first;
    this.firstUs = firstUs;
    this.last = last;
    this.lastUs = lastUs;
  }

  private takeInstant(): void {
    const starts = this.bucketStartsUs;
    while (starts !== null && this.bucket + 1 < starts.length && this.instant.us >= starts[this.bucket + 1]!)
      this.bucket++;
    this.walk.take(this.instant, this.bucket);
    this.isPending = false;
  }

  private finishActor(): void {
    if (!this.hasRows) return;
    if (this.isPending) this.takeInstant();
    this.walk.finish(this.tell);
  }

  private readonly tell: Tell = ({ value, bucket, reached, times }) => {
    const own = this.isByStep ? value : this.program.attribution === "last" ? this.last : this.first;
    this.sink.add(this.actor, own, bucket, reached, times);
  };
}

/**
 * Up to where the rows from one on are of one actor (`isByValue`: with one value), and each alone at its time: that of the last row of a slice
 * is not known.
 */
function aloneUntil({ rowCount, actor, us, value }: Slice, from: number, isByValue: boolean): number {
  const own = actor[from]!;
  const ofValue = isByValue ? value : null;
  let row = from;
  for (; row + 1 < rowCount; row++) {
    if (actor[row + 1] !== own || (ofValue !== null && ofValue[row + 1] !== ofValue[row])) return row + 1;
    if (us[row + 1] === us[row]) return row;
  }
  return row;
}

function walkOf(program: FunnelProgram): ActorWalk {
  if (program.order === "unordered") return new UnorderedWalk(program);
  const isOne = program.bucketStartsMs === null && typeof program.attribution !== "number";
  return isOne ? new OneChain(program) : new OrderedWalk(program);
}
