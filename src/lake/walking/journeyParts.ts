import { NOTHING_KNOWN, type RowFields, rowsOf, type Slice } from "../../walk/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import type { BoundText } from "./boundText.ts";
import { type Directory, plainDirectory, rewritten } from "./directory.ts";
import type { Decoded } from "./foundTable.ts";
import { kindMarks, knownNames } from "./kindMarks.ts";
import { readMadeTimes } from "./madeTimes.ts";
import type { Told } from "./marks.ts";
import { sharedSlice } from "./orderedRows.ts";
import type { PlaceMarks } from "./places.ts";
import { readCodes } from "./propertyCodes.ts";
import type { RangeSource } from "./rangeSource.ts";
import { readCodedPlaces, readNames, readPlaces } from "./readMarks.ts";
import { masksOf, slicesAside, slicesOf, US } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import { SliceReader } from "./sliceReader.ts";
import type { JourneyWalk, WalkStatement } from "./statement.ts";

/** The same where a statement is: the files that it reads are named in it. */
const textKey = ({ text, params }: BoundText): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify([text, params.map(String)])).digest("base64");

/** A journey, and what a walk knows of its rows. */
export interface JourneyFile {
  location: string;
  journey: Journey;
  told: Told;
  /** Null where the file has it. */
  directory: Directory | null;
}

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

  /** The journeys, mapped. Errors: FileUnreadable. */
  open(): Journey[] {
    return this.journeys.files.map(({ location }) => this.session.journeys.get(location));
  }

  /** What is told of the rows of these journeys. */
  async read(files: readonly Journey[]): Promise<JourneyFile[]> {
    const { journeys, fields, session } = this;
    const { table } = this.walk;
    const { fromMs, toMs, isValueNamed } = journeys;
    const others = journeys.hasOthers ? `${table}_rows` : null;
    const o = { table, fields, others, session };
    const valued = { ...o, hasValue: fields.hasValue && isValueNamed };
    const steps = journeys.names === null ? fields.bits : 0;
    const placed = { ...o, steps, hasValue: fields.hasValue && !isValueNamed };
    // Values of names get codes in a table of the connection; else names can be asked for while the places are.
    const namesBeside = valued.hasValue ? valued : { ...valued, session: session.onBeside() };
    const [names, places] = await allOf([
      journeys.names === null
        ? null
        : "named" in journeys.names
          ? knownNames(files, journeys.names)
          : readNames(files, journeys.names, namesBeside),
      journeys.places === null ? null : this.places(files, journeys.places, placed),
    ]);
    const moved = this.moved === null ? null : await this.movedCodes();
    // The times of a person are in order where older files come first, and need no sorting.
    return files
      .map((journey, i): JourneyFile => {
        const { location, isStale } = journeys.files[i]!;
        const kinds = names === null ? null : kindMarks(journey, names);
        const directory = isStale && moved !== null ? rewritten(plainDirectory(journey), moved) : null;
        return { location, journey, told: { fields, fromMs, toMs, kinds, places: places?.[i] ?? null }, directory };
      })
      .sort((a, b) => a.journey.baseMs - b.journey.baseMs);
  }

  /** By the values of a property where these are known, or else by the rows. */
  private async places(
    files: readonly Journey[],
    rows: BoundText,
    o: Parameters<typeof readPlaces>[2],
  ): Promise<PlaceMarks[]> {
    const { session, journeys } = this;
    const { keyed } = journeys;
    const locations = journeys.files.map(({ location }) => location);
    const codes =
      keyed === null
        ? null
        : await session.kept.codes.of(keyed.key, locations, () => readCodes(files, keyed.rows, session));
    return keyed === null || codes === null ? readPlaces(files, rows, o) : readCodedPlaces(codes, keyed.told, o);
  }

  /** When the actors with these codes were made. */
  async madeMs(codes: number): Promise<Float64Array> {
    const { journeys, session, walk } = this;
    if (journeys.made === null) return NOTHING_KNOWN.madeMs;
    const { text, params } = journeys.made;
    const made = { text: `select ${this.code} as code, at_ms from (${text}\n) r${this.joinOfIds}`, params };
    const read = () => readMadeTimes(codes, made, walk.table, session);
    // Codes of persons without a number are of this walk alone.
    const known = journeys.hasUnnumbered ? null : await session.kept.made.of(textKey(made), [], read);
    return (known ?? (await read())).ms;
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

  /**
   * The rows of other files, in order of code, where there are any: as one slice, which all threads see, or, where they are more than `most`,
   * as a source that only one can read.
   */
  async others(most: number): Promise<{ shared: Slice | null; streamed: RangeSource | null }> {
    const { journeys, walk, fields, session } = this;
    if (!journeys.hasOthers) return { shared: null, streamed: null };
    const { text, params } = walk;
    const from = this.areOthersAside ? { text: `${walk.table}_rows`, params: [] } : { text: `(${text}\n)`, params };
    const table = `${walk.table}_others`;
    const count = await session.setAside(table, this.inOrder(from));
    const slices = slicesAside(session, table, count, fields);
    return count <= most
      ? { shared: await sharedSlice(slices, count, fields), streamed: null }
      : { shared: null, streamed: new SliceReader(fields, slices) };
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

/** As `Promise.all`, but when one fails the others have ended, too: nothing uses a connection any more. */
async function allOf<A, B>([a, b]: [Promise<A> | A, Promise<B> | B]): Promise<[A, B]> {
  const ended = await Promise.allSettled([a, b]);
  for (const each of ended) if (each.status === "rejected") throw each.reason;
  return Promise.all([a, b]);
}
