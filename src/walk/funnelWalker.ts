import { type ActorWalk, NO_CODE, type Tell } from "./actorWalk.ts";
import type { Found } from "./found.ts";
import type { FunnelSink } from "./funnelFound.ts";
import { Instant } from "./instant.ts";
import { OneChain } from "./oneChain.ts";
import { OrderedWalk } from "./ordered.ts";
import type { FunnelProgram } from "./program.ts";
import { UnorderedWalk } from "./unordered.ts";
import type { Slice, Walker } from "./walker.ts";

/** Finds the attempt that counts of each actor, by value and bucket where there are any. */
export class FunnelWalker implements Walker {
  private readonly walk: ActorWalk;
  /** Takes an event that is alone at its time; null where that is more than a step in the window. */
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
    this.direct = this.walk instanceof OneChain && this.walk.isSimple ? this.walk : null;
    const starts = program.bucketStartsMs;
    this.bucketStartsUs = starts === null ? null : Float64Array.from(starts, (ms) => ms * 1000);
    this.isByValue = program.attribution === "all";
    this.isByStep = typeof program.attribution === "number";
  }

  get found(): Found {
    return this.sink.found;
  }

  /** Takes the next rows. */
  take({ rowCount, actor, us, steps, excluded, value }: Slice): void {
    const { direct } = this;
    for (let row = 0; row < rowCount; row++) {
      const own = value === null ? NO_CODE : value[row]!;
      const at = us[row]!;
      if (!this.hasRows || actor[row] !== this.actor || (this.isByValue && own !== this.first)) {
        this.finishActor();
        this.beginActor(actor[row]!, own);
      } else if (this.isPending && at !== this.instant.us) {
        this.takeInstant();
      }
      if (own !== NO_CODE && !this.isByValue) this.note(own, at);
      if (
        direct !== null &&
        !this.isPending &&
        row + 1 < rowCount &&
        (us[row + 1] !== at || actor[row + 1] !== actor[row])
      ) {
        direct.takeOne(at, steps[row]!);
        continue;
      }
      if (!this.isPending) this.instant.begin(at);
      this.isPending = true;
      this.instant.add(steps[row]!, excluded === null ? 0 : excluded[row]!, this.isByStep ? own : NO_CODE, 1);
    }
  }

  /** There are no more rows. */
  end(): void {
    this.finishActor();
    this.sink.end();
  }

  private beginActor(actor: number, value: number): void {
    this.hasRows = true;
    this.actor = actor;
    this.bucket = this.bucketStartsUs === null ? 0 : -1;
    this.first = this.isByValue ? value : NO_CODE;
    this.last = this.first;
  }

  /** At one instant the lesser value is the first one. */
  private note(value: number, us: number): void {
    if (this.first === NO_CODE || (us === this.firstUs && value < this.first)) {
      this.first = value;
      this.firstUs = us;
    }
    if (this.last === NO_CODE || us > this.lastUs || value > this.last) {
      this.last = value;
      this.lastUs = us;
    }
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

function walkOf(program: FunnelProgram): ActorWalk {
  if (program.order === "unordered") return new UnorderedWalk(program);
  const isOne = program.bucketStartsMs === null && typeof program.attribution !== "number";
  return isOne ? new OneChain(program) : new OrderedWalk(program);
}
