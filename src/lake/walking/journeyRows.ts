import { UINTEGER } from "@duckdb/node-api";
import { type RowFields, rowsOf, type Slice } from "../../walk/mod.ts";
import { type Journey, openJourney } from "../journeys/mod.ts";
import { FileUnreadable } from "./fileUnreadable.ts";
import type { Decoded } from "./foundTable.ts";
import { Gathered } from "./gathered.ts";
import { JourneySource } from "./journeySource.ts";
import { Marks } from "./marks.ts";
import { type PlacedRows, readNames, readPlaces } from "./readMarks.ts";
import { masksOf, NO_VALUE, type RowSource, slicesOf, US } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import { SliceReader } from "./sliceReader.ts";
import { decodedValue } from "./sortedRows.ts";
import type { JourneyWalk, WalkStatement } from "./statement.ts";

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
    readonly value: Decoded,
    private readonly fields: RowFields,
    private readonly sources: readonly JourneySource[],
    private readonly others: SliceReader,
    /** Codes are below it. */
    private readonly codes: number,
  ) {}

  /** Errors: DuckDB's own; FileUnreadable. */
  static async of(walk: WalkStatement, session: WalkSession): Promise<JourneyRows> {
    const parts = new Parts(walk, walk.journeys!, session);
    const codes = await parts.codeActors();
    if (parts.fields.hasValue) await parts.codeValues();
    const sources = await parts.openSources();
    const value = parts.fields.hasValue ? decodedValue(walk.table) : NO_VALUE;
    return new JourneyRows(session, parts.actor, value, parts.fields, sources, parts.others(), codes);
  }

  async *slices(): AsyncIterable<Slice> {
    const { sources, others, codes, fields, session } = this;
    const rows = sources.reduce((sum, source) => sum + source.rowCount, 0);
    const persons = Math.max(1, Math.ceil((codes * RANGE_ROWS) / Math.max(rows, RANGE_ROWS)));
    const gathered = new Gathered(fields);
    for (let first = 0; first < codes; first += persons) {
      const end = Math.min(first + persons, codes);
      gathered.clear();
      for (const source of sources) source.gather(first, end, gathered);
      await others.gather(first, end, gathered);
      if (gathered.count > 0) yield gathered.slice(first, end - first);
      // A cancel can be heard between two ranges.
      await session.step(() => new Promise<void>((resolve) => setImmediate(resolve)));
    }
  }
}

function opened(location: string): Journey {
  try {
    return openJourney(Bun.mmap(location));
  } catch (error) {
    throw new FileUnreadable(location, error);
  }
}

/** Makes what the rows of a walk need, as tables of their own: `<walk>_rows`, `_places`, `_moved`, `_ids`, `_values`. */
class Parts {
  readonly fields: RowFields;
  private readonly areOthersAside: boolean;

  constructor(
    private readonly walk: WalkStatement,
    private readonly journeys: JourneyWalk,
    private readonly session: WalkSession,
  ) {
    this.fields = rowsOf(walk.program);
    this.areOthersAside = journeys.hasUnnumbered || this.fields.hasValue;
  }

  /** Gives codes to persons without a number. Answers below what all codes are. */
  async codeActors(): Promise<number> {
    const { session, walk, journeys, areOthersAside } = this;
    const { table, text, params } = walk;
    if (journeys.hasOthers && areOthersAside) {
      await session.run(`create temp table ${table}_rows as select * from (${text}\n)`, params);
    }
    if (this.moved !== null) await session.run(`create temp table ${table}_moved as select * from ${this.moved} m`);
    if (!journeys.hasUnnumbered) return journeys.persons;
    const ids = [
      ...(journeys.hasOthers ? [`select actor.id as id from ${table}_rows where actor.number is null`] : []),
      ...(this.moved === null ? [] : [`select unnumbered as id from ${table}_moved where unnumbered is not null`]),
      "select null::uuid as id where false",
    ];
    await session.run(
      `create temp table ${table}_ids as select id, (${journeys.persons - 1} + row_number() over ())::uinteger as code
       from (select distinct id from (${ids.join(" union all ")}))`,
    );
    const [[count] = []] = await session.rows(`select count(*) from ${table}_ids`);
    return journeys.persons + Number(count);
  }

  /** Gives codes to values, in their order. */
  async codeValues(): Promise<void> {
    const { session, journeys } = this;
    const { table } = this.walk;
    const { text, params } = journeys.places!;
    await session.run(`create temp table ${table}_places as select * from (${text}\n)`, params);
    const from = [`${table}_places`, ...(journeys.hasOthers ? [`${table}_rows`] : [])];
    const values = from.map((name) => `select value from ${name} where value is not null`).join(" union all ");
    await session.run(
      `create temp table ${table}_values as select value, (row_number() over (order by value))::uinteger as code
       from (select distinct value from (${values}))`,
    );
  }

  async openSources(): Promise<JourneySource[]> {
    const { journeys } = this;
    const files = journeys.files.map(({ location }) => opened(location));
    const { fromMs, toMs } = journeys;
    const names = journeys.names === null ? null : await readNames(files, journeys.names, this.session);
    const rows = this.placed;
    const places = rows === null ? null : await readPlaces(files, rows, this.fields, this.session);
    const moved = this.moved === null ? null : await this.movedCodes();
    // The times of a person are in order where older files come first, and need no sorting.
    return files
      .map((journey, i) => {
        const marks = new Marks(journey, { fromMs, toMs, names, places: places === null ? null : places[i]! });
        return { journey, marks, isStale: journeys.files[i]!.isStale };
      })
      .sort((a, b) => a.journey.baseMs - b.journey.baseMs)
      .map(({ journey, marks, isStale }) => new JourneySource(journey, marks, isStale ? moved : null));
  }

  /** What the table shows of an actor. */
  get actor(): Decoded {
    const { hasUnnumbered, persons, ids } = this.journeys;
    const byId = hasUnnumbered ? ` left join ${this.walk.table}_ids i on i.code = f.actor` : "";
    if (ids !== null) {
      const shown = hasUnnumbered ? "coalesce(n.person_id, i.id)" : "n.person_id";
      return { shown, join: ` left join ${ids} n on n.number = f.actor::integer${byId}` };
    }
    if (!hasUnnumbered) return { shown: "f.actor::integer", join: "" };
    const number = `case when f.actor < ${persons} then f.actor::integer end`;
    return { shown: `struct_pack(number := ${number}, id := i.id)`, join: byId };
  }

  /** The rows of other files, in order of code. */
  others(): SliceReader {
    const { journeys, walk, fields } = this;
    if (!journeys.hasOthers) return SliceReader.NONE;
    const { table } = walk;
    const code = journeys.hasUnnumbered ? "coalesce(r.actor.number::uinteger, i.code)" : "r.actor::uinteger";
    const columns = [code, US, masksOf(fields), ...(fields.hasValue ? ["coalesce(v.code, 0)::uinteger"] : [])];
    const joins = [
      ...(journeys.hasUnnumbered ? [` left join ${table}_ids i on i.id = r.actor.id`] : []),
      ...(fields.hasValue ? [` left join ${table}_values v on v.value = r.value`] : []),
    ];
    const from = this.areOthersAside ? `${table}_rows` : `(${walk.text}\n)`;
    const text = `select ${columns.join(", ")} from ${from} r${joins.join("")} where timestamp is not null order by 1, 2`;
    const params = this.areOthersAside ? [] : walk.params;
    return new SliceReader(slicesOf(this.session, `${table}_others`, { text, params }, fields), fields);
  }

  private get moved(): string | null {
    return this.journeys.files.some(({ isStale }) => isStale) ? this.journeys.moved : null;
  }

  private get placed(): PlacedRows | null {
    const { walk, fields, journeys } = this;
    const { table, program } = walk;
    if (journeys.places === null) return null;
    const { text, params } = journeys.places;
    const steps = journeys.names === null ? program.steps : 0;
    if (!fields.hasValue) return { table, from: `(${text}\n) p`, params, steps };
    return { table, from: `${table}_places p left join ${table}_values v on v.value = p.value`, params: [], steps };
  }

  /** The codes of persons that have become others, by number. */
  private async movedCodes(): Promise<Map<number, number>> {
    const { session, walk, journeys } = this;
    const { table } = walk;
    const [code, join] = journeys.hasUnnumbered
      ? ["coalesce(m.number::uinteger, i.code)", ` left join ${table}_ids i on i.id = m.unnumbered`]
      : ["m.number", ""];
    const rows = await session.rows(`select m.moved, ${code} from ${table}_moved m${join}`);
    return new Map(rows.map(([moved, to]) => [Number(moved), Number(to)]));
  }
}
