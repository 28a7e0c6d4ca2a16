import { type Found, NOTHING_KNOWN, type Slice, type Walker } from "../../walk/mod.ts";
import type { Decoded } from "./foundTable.ts";
import { Gathered } from "./gathered.ts";
import { type JourneyFile, JourneyParts } from "./journeyParts.ts";
import { JourneySource } from "./journeySource.ts";
import { mappingOf } from "./mappedJourney.ts";
import { OrderedRows } from "./orderedRows.ts";
import type { RangeSource } from "./rangeSource.ts";
import { type Cut, Ranges } from "./ranges.ts";
import { noValue, type RowSource } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import { decodedValue } from "./sortedRows.ts";
import type { WalkStatement } from "./statement.ts";
import type { WalkLimits } from "./walkLimits.ts";
import type { JoinedThreads } from "./walkThreads.ts";

/** Each thread has so many ranges or more, so that all end at about the same time. */
const LEAST_RANGES = 8;
/** More rows of other files are not held at once: 24 bytes each, 4 more with a value. */
const OTHERS_MAX_ROWS = 1 << 20;

/** What is made of the rows before they are walked. */
interface Made {
  files: readonly JourneyFile[];
  others: { shared: Slice | null; streamed: RangeSource | null };
  cut: Cut;
  /** Threads that may take part beside this one. */
  threads: number;
  madeMs: Float64Array;
}

/**
 * Rows that journeys hold in order, and beside them the rows of other files, which DuckDB sorts. An actor's code is the
 * number of the person; persons without one get codes behind all numbers.
 */
export class JourneyRows implements RowSource {
  readonly actorType = "UINTEGER";
  readonly madeMs: Float64Array;

  private constructor(
    private readonly walked: WalkStatement,
    private readonly session: WalkSession,
    readonly actor: Decoded,
    readonly value: RowSource["value"],
    private readonly parts: JourneyParts,
    private readonly made: Made,
  ) {
    this.madeMs = made.madeMs;
  }

  /** Errors: DuckDB's own; FileUnreadable. */
  static async of(walk: WalkStatement, session: WalkSession): Promise<JourneyRows> {
    const parts = new JourneyParts(walk, walk.journeys!, session);
    const codes = await parts.codeActors();
    const value = parts.fields.hasValue ? decodedValue(walk.table) : noValue;
    const journeys = parts.open();
    const rows = journeys.reduce((sum, { rowCount }) => sum + rowCount, 0);
    const started = session.threads.startFor(rows);
    const files = await parts.read(journeys);
    const madeMs = await parts.madeMs(codes);
    const others = await parts.others(started === 0 ? 0 : OTHERS_MAX_ROWS);
    const threads = others.streamed === null ? started : 0;
    const cut = { codes, persons: personsOf(codes, rows, threads, session.threads.limits) };
    const made = { files, others, cut, threads, madeMs };
    return new JourneyRows(walk, session, parts.actor, value, parts, made);
  }

  get isStreamed(): boolean {
    return this.made.others.streamed !== null;
  }

  async walk(walker: Walker, append: (found: Found) => void): Promise<void> {
    const { cut, threads } = this.made;
    const ranges = Ranges.of(cut, threads);
    const joined = threads === 0 ? null : this.join(ranges, walker, append);
    try {
      const tied = [await this.walkRanges(ranges, walker)];
      for (const finished of (await joined?.finish()) ?? []) {
        walker.addPart(finished.part);
        tied.push(finished.tied);
      }
      await this.walkTied(tied.flat(), walker);
    } finally {
      ranges.stop();
    }
  }

  /** Answers with the persons that are left out. */
  private async walkRanges(ranges: Ranges, walker: Walker): Promise<number[]> {
    const { parts, session } = this;
    const { files, others } = this.made;
    const { fields } = parts;
    const sources: RangeSource[] = files.map(
      ({ journey, told, directory }) => new JourneySource(journey, told, directory),
    );
    if (others.shared !== null) sources.push(new OrderedRows(fields, others.shared));
    if (others.streamed !== null) sources.push(others.streamed);
    const gathered = new Gathered(fields);
    for (let range = ranges.take(); range !== null; range = ranges.take()) {
      for (const source of sources) await source.gather(range);
      walker.take(gathered.slice(sources, range));
      // A cancel can be heard between two ranges.
      await session.step(() => new Promise<void>((resolve) => setImmediate(resolve)));
    }
    return gathered.tied;
  }

  private join(ranges: Ranges, walker: Walker, append: (found: Found) => void): JoinedThreads {
    const { made, walked, session } = this;
    const { files, others, cut, madeMs } = made;
    const mapped = files.map(({ location, journey, told, directory }) => {
      return { journey: mappingOf(location, journey), told, directory };
    });
    // Only the walker that ends the walk asks for a code.
    const known = { ...NOTHING_KNOWN, madeMs };
    const task = {
      program: walked.program,
      known,
      cut,
      state: ranges.state,
      files: mapped,
      others: others.shared,
      kept: session.journeys.locations,
    };
    return session.threads.join(task, ranges, (rowCount, values) => {
      const columns = walker.found.columns.map((column, i) => ({ ...column, values: values[i]! }));
      append({ rowCount, columns });
    });
  }

  private async walkTied(tied: number[], walker: Walker): Promise<void> {
    if (tied.length === 0) return;
    for await (const slice of this.parts.tied(tied)) walker.take(slice);
  }
}

/** How many codes a range has. */
function personsOf(codes: number, rows: number, threads: number, { rangeRows }: WalkLimits): number {
  const ranges = Math.max(rows / rangeRows, threads === 0 ? 1 : LEAST_RANGES * (threads + 1));
  return Math.max(1, Math.ceil(codes / ranges));
}
