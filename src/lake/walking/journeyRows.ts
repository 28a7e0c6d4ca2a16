import { UINTEGER } from "@duckdb/node-api";
import type { RowFields, Slice } from "../../walk/mod.ts";
import type { Decoded } from "./foundTable.ts";
import { Gathered } from "./gathered.ts";
import { JourneyParts } from "./journeyParts.ts";
import type { JourneySource } from "./journeySource.ts";
import type { RangeSource } from "./rangeSource.ts";
import { noValue, type RowSource } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import { decodedValue } from "./sortedRows.ts";
import type { WalkStatement } from "./statement.ts";

/** So many rows of journeys are read before the walker gets what it needs of them: this bounds the memory of a walk. */
const RANGE_ROWS = 1 << 18;

/**
 * Rows that journeys hold in order, and beside them the rows of other files, which DuckDB sorts. An actor's code is the
 * number of the person; persons without one get codes behind all numbers.
 */
export class JourneyRows implements RowSource {
  readonly actorType = UINTEGER;

  private constructor(
    private readonly session: WalkSession,
    readonly actor: Decoded,
    readonly value: RowSource["value"],
    private readonly fields: RowFields,
    private readonly parts: JourneyParts,
    private readonly sources: readonly JourneySource[],
    private readonly others: readonly RangeSource[],
    /** Codes are below it. */
    private readonly codes: number,
    readonly madeIn: Int32Array,
  ) {}

  /** Errors: DuckDB's own; FileUnreadable. */
  static async of(walk: WalkStatement, session: WalkSession): Promise<JourneyRows> {
    const parts = new JourneyParts(walk, walk.journeys!, session);
    const { fields, actor } = parts;
    const codes = await parts.codeActors();
    const value = fields.hasValue ? decodedValue(walk.table) : noValue;
    const sources = await parts.openSources();
    const madeIn = await parts.madeIn(codes);
    return new JourneyRows(session, actor, value, fields, parts, sources, parts.others(), codes, madeIn);
  }

  async *slices(): AsyncIterable<Slice> {
    const { parts, sources, others, codes, fields, session } = this;
    const rows = sources.reduce((sum, source) => sum + source.rowCount, 0);
    const persons = Math.max(1, Math.ceil((codes * RANGE_ROWS) / Math.max(rows, RANGE_ROWS)));
    const gathered = new Gathered(fields);
    const all = [...sources, ...others];
    for (let first = 0; first < codes; first += persons) {
      const end = Math.min(first + persons, codes);
      for (const source of all) await source.gather(end);
      const slice = gathered.slice(all, { first, end });
      if (slice.rowCount > 0) yield slice;
      // A cancel can be heard between two ranges.
      await session.step(() => new Promise<void>((resolve) => setImmediate(resolve)));
    }
    const { tied } = gathered;
    if (tied.length > 0) yield* parts.tied(tied);
  }
}
