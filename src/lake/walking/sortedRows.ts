import { NOTHING_KNOWN, type RowFields, rowsOf, type Walker } from "../../walk/mod.ts";
import type { BoundText } from "./boundText.ts";
import type { ActorType, Decoded } from "./foundTable.ts";
import { masksOf, noValue, type RowSource, slicesOf, US } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import type { WalkStatement } from "./statement.ts";

/** Types that are codes of themselves, and as which. */
const CODES: ReadonlyMap<string, ActorType> = new Map([
  ["UTINYINT", "UINTEGER"],
  ["USMALLINT", "UINTEGER"],
  ["UINTEGER", "UINTEGER"],
  ["TINYINT", "INTEGER"],
  ["SMALLINT", "INTEGER"],
  ["INTEGER", "INTEGER"],
]);

/** Rows that DuckDB sorts. Actors that are no small numbers, and values, get codes before. */
export class SortedRows implements RowSource {
  readonly isStreamed = true;
  readonly madeMs = NOTHING_KNOWN.madeMs;

  private constructor(
    private readonly session: WalkSession,
    private readonly table: string,
    readonly actorType: ActorType,
    readonly actor: Decoded,
    readonly value: RowSource["value"],
    private readonly fields: RowFields,
    private readonly sorted: BoundText,
  ) {}

  static async of(walk: WalkStatement, session: WalkSession): Promise<SortedRows> {
    const { table, program } = walk;
    const fields = rowsOf(program);
    const type = await session.firstType(walk);
    const codeType = CODES.get(type);
    if (codeType === undefined || fields.hasValue) {
      await code(walk, session, fields);
      const actor = { shown: "a.actor", join: ` join ${table}_actors a on a.code = f.actor` };
      const value = fields.hasValue ? decodedValue(table) : noValue;
      const sorted = { text: codedRows(table, fields), params: [] };
      return new SortedRows(session, `${table}_sorted`, "UINTEGER", actor, value, fields, sorted);
    }
    const actor = { shown: `f.actor::${type}`, join: "" };
    const sorted = { text: plainRows(walk.text, `actor::${codeType}`, fields), params: walk.params };
    return new SortedRows(session, `${table}_sorted`, codeType, actor, noValue, fields, sorted);
  }

  async walk(walker: Walker): Promise<void> {
    for await (const slice of slicesOf(this.session, this.table, this.sorted, this.fields)) walker.take(slice);
  }
}

export const decodedValue =
  (table: string) =>
  (column: string): Decoded => ({
    shown: `v_${column}.value`,
    join: ` left join ${table}_values v_${column} on v_${column}.code = f.${column}`,
  });

/** Puts the rows aside, and gives codes to actors, and to values in their order. */
async function code({ table, text, params }: WalkStatement, session: WalkSession, { hasValue }: RowFields) {
  await session.run(`create temp table ${table}_rows as select * from (${text}\n)`, params);
  for (const name of hasValue ? ["actor", "value"] : ["actor"]) {
    const order = name === "value" ? "order by value" : "";
    const distinct = `select distinct ${name} from ${table}_rows where ${name} is not null`;
    const coded = `select ${name}, (row_number() over (${order}))::uinteger as code from (${distinct})`;
    await session.run(`create temp table ${table}_${name}s as ${coded}`);
  }
}

/** `actor`: SQL text of a number. */
const plainRows = (text: string, actor: string, fields: RowFields): string =>
  `select ${actor}, ${US}, ${masksOf(fields)} from (${text}\n) where actor is not null and timestamp is not null order by 1, 2`;

function codedRows(table: string, fields: RowFields): string {
  const { hasValue, isByValue, isByUuid } = fields;
  const value = hasValue ? ", coalesce(v.code, 0)::uinteger as value_code" : "";
  const values = hasValue ? ` left join ${table}_values v on v.value = r.value` : "";
  const order = isByValue ? "1, value_code, 2" : isByUuid ? "1, 2, r.uuid" : "1, 2";
  return `select a.code, ${US}, ${masksOf(fields)}${value} from ${table}_rows r join ${table}_actors a on a.actor = r.actor${values} where timestamp is not null order by ${order}`;
}
