import { NOTHING_KNOWN, type RowFields, rowsOf, type Slice } from "../../walk/mod.ts";
import { integersOf, listsOf } from "../engine/mod.ts";
import type { Decoded } from "./foundTable.ts";
import { JourneySource } from "./journeySource.ts";
import { Marks } from "./marks.ts";
import { opened } from "./opened.ts";
import type { RangeSource } from "./rangeSource.ts";
import { LISTED_MAX_ROWS, readNames, readPlaces } from "./readMarks.ts";
import { masksOf, slicesOf, US } from "./rowSource.ts";
import type { BoundText, WalkSession } from "./session.ts";
import { SliceReader } from "./sliceReader.ts";
import type { JourneyWalk, WalkStatement } from "./statement.ts";

/** Makes what the rows of a walk need, as tables of their own: `<walk>_rows`, `_moved`, `_ids`, `_values`, `_tied`. */
export class JourneyParts {
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

  async openSources(): Promise<JourneySource[]> {
    const { journeys, fields, session } = this;
    const { table } = this.walk;
    const files = journeys.files.map(({ location }) => opened(location));
    const { fromMs, toMs, isValueNamed } = journeys;
    const others = journeys.hasOthers ? `${table}_rows` : null;
    const o = { table, fields, others, session };
    const valued = { ...o, hasValue: fields.hasValue && isValueNamed };
    const names = journeys.names === null ? null : await readNames(files, journeys.names, valued);
    const steps = names === null ? fields.bits : 0;
    const placed = { ...o, steps, hasValue: fields.hasValue && !isValueNamed };
    const places = journeys.places === null ? null : await readPlaces(files, journeys.places, placed);
    const moved = this.moved === null ? null : await this.movedCodes();
    // The times of a person are in order where older files come first, and need no sorting.
    return files
      .map((journey, i) => {
        const marks = new Marks(journey, { fields, fromMs, toMs, names, places: places === null ? null : places[i]! });
        return { journey, marks, isStale: journeys.files[i]!.isStale };
      })
      .sort((a, b) => a.journey.baseMs - b.journey.baseMs)
      .map(({ journey, marks, isStale }) => new JourneySource(journey, marks, isStale ? moved : null));
  }

  /** Reads in which intervals the actors with these codes were made. */
  async madeIn(codes: number): Promise<Int32Array> {
    const { journeys, session } = this;
    if (journeys.made === null) return NOTHING_KNOWN.madeIn;
    const { text, params } = journeys.made;
    const made = `select ${this.code} as code, n::integer as n from (${text}\n) r${this.joinOfIds}`;
    const isListed = codes <= LISTED_MAX_ROWS;
    const listed = `select n, ${isListed ? "list(code)" : "[code]"} from (${made}) where code is not null${isListed ? " group by n" : ""}`;
    const rows = { text: listed, params };
    const madeIn = new Int32Array(codes).fill(-1);
    const chunks = isListed ? session.chunksInMemory(rows) : session.chunks(`${this.walk.table}_made`, rows);
    for await (const chunk of chunks) {
      const [n, { bounds, numbers }] = [integersOf(chunk, 0), listsOf(chunk, 1)];
      for (let row = 0; row < chunk.rowCount; row++) {
        const [from, length] = [bounds[4 * row]!, bounds[4 * row + 2]!];
        for (let i = from; i < from + length; i++) madeIn[numbers[i]!] = n[row]!;
      }
    }
    return madeIn;
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

  /** The rows of other files, in order of code, where there are any. */
  others(): RangeSource[] {
    const { journeys, walk, fields } = this;
    if (!journeys.hasOthers) return [];
    const { table, text, params } = walk;
    const from = this.areOthersAside ? { text: `${table}_rows`, params: [] } : { text: `(${text}\n)`, params };
    return [new SliceReader(fields, slicesOf(this.session, `${table}_others`, this.inOrder(from), fields))];
  }

  /** All rows of these actors, in order of code: where rows of several files are of one time, only DuckDB knows their order. */
  async *tied(codes: readonly number[]): AsyncIterable<Slice> {
    const { session, fields } = this;
    const table = `${this.walk.table}_tied`;
    const list = "unnest(string_split($1::varchar, ','))::uinteger";
    await session.run(`create temp table ${table} as select ${list} as code`, [codes.join(",")]);
    const { text, params } = this.journeys.whole!;
    const rows = this.inOrder({ text: `(${text}\n)`, params }, `${this.code} in (select code from ${table})`);
    yield* slicesOf(session, `${table}_rows`, rows, fields);
  }

  /** Rows of a table in order of code, as slices have them. */
  private inOrder({ text: from, params }: BoundText, condition = "true"): BoundText {
    const { fields } = this;
    const { table } = this.walk;
    const { hasValue, isByUuid } = fields;
    const columns = [this.code, US, masksOf(fields), ...(hasValue ? ["coalesce(v.code, 0)::uinteger"] : [])];
    const joins = [this.joinOfIds, ...(hasValue ? [` left join ${table}_values v on v.value = r.value`] : [])];
    const order = isByUuid ? "1, 2, r.uuid" : "1, 2";
    const where = `timestamp is not null and ${condition}`;
    const text = `select ${columns.join(", ")} from ${from} r${joins.join("")} where ${where} order by ${order}`;
    return { text, params };
  }

  /** The code of the actor of a row `r`. */
  private get code(): string {
    return this.journeys.hasUnnumbered ? "coalesce(r.actor.number::uinteger, i.code)" : "r.actor::uinteger";
  }

  /** What `code` needs. */
  private get joinOfIds(): string {
    return this.journeys.hasUnnumbered ? ` left join ${this.walk.table}_ids i on i.id = r.actor.id` : "";
  }

  private get moved(): string | null {
    return this.journeys.files.some(({ isStale }) => isStale) ? this.journeys.moved : null;
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
