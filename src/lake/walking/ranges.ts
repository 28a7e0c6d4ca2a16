import { sharedInt32 } from "./shared.ts";

/** Persons by code, from `first` to below `end`. */
export interface Range {
  first: number;
  end: number;
}

/** How all codes are cut into ranges. */
export interface Cut {
  /** Codes are below it. */
  codes: number;
  /** So many are in a range. */
  persons: number;
}

const NEXT = 0;
/** Where it is said of each thread whether it takes part. */
const FIRST_THREAD = 1;
const [JOINED, LEFT_OUT] = [1, 2];
/** No walk has so many ranges. */
const NONE = 2 ** 30;

/** The ranges of a walk; threads take them one after the other. */
export class Ranges {
  constructor(
    private readonly cut: Cut,
    /** All threads see it. */
    readonly state: Int32Array,
  ) {}

  /** `threads`: so many may join. */
  static of(cut: Cut, threads: number): Ranges {
    return new Ranges(cut, sharedInt32(FIRST_THREAD + threads));
  }

  /** The next range, which is the caller's; null where there is none any more. */
  take(): Range | null {
    const { codes, persons } = this.cut;
    const number = Atomics.load(this.state, NEXT);
    if (number * persons >= codes) return null;
    const first = Atomics.add(this.state, NEXT, 1) * persons;
    return first >= codes ? null : { first, end: Math.min(first + persons, codes) };
  }

  /** There are no more. */
  stop(): void {
    Atomics.store(this.state, NEXT, NONE);
  }

  /** Whether a thread may take ranges: not where the walk no longer waits for it. */
  join(thread: number): boolean {
    return Atomics.compareExchange(this.state, FIRST_THREAD + thread, 0, JOINED) === 0;
  }

  /** Whether a thread has joined; else it cannot any more. */
  hasJoined(thread: number): boolean {
    return Atomics.compareExchange(this.state, FIRST_THREAD + thread, 0, LEFT_OUT) === JOINED;
  }
}
