import type { Variables } from "../engine/mod.ts";
import { columnName, memberStart, pointerOf, REST, type TypedColumn } from "./columns.ts";
import { VALUE_TYPES } from "./values.ts";

const keyVariable = ({ id }: TypedColumn): string => `split_key_${id}`;
const memberVariable = ({ id }: TypedColumn): string => `split_member_${id}`;
const pointersVariable = ([first]: readonly TypedColumn[]): string => `split_pointers_${first?.id}`;

/** The variables that the text of `split` reads. One statement may use two lists of columns if both are ends of one layout. */
export function splitVariables(columns: readonly TypedColumn[]): Variables {
  return {
    [pointersVariable(columns)]: columns.map(({ key }) => pointerOf([key])),
    // One by one: an element of a list is no constant.
    ...Object.fromEntries(columns.map((column) => [keyVariable(column), column.key])),
    ...Object.fromEntries(columns.map((column) => [memberVariable(column), memberStart(column.key)])),
  };
}

/** DuckDB reads the integer -0 as 0. A string that looks like it does no harm, but its row is read as JSON: so few should. */
const HAS_MINUS_ZERO = `contains(json, '-0') and regexp_matches(json, '[:,\\[]\\s*-0[,}\\]\\s]')`;

/**
 * A SELECT that takes values out of the column `json` of `table` into columns (`p<id>`), and gives the others as `rest`:
 * JSON that is equal after `JSON.parse`, with integers of any size as they were. Other columns stay. A row that this
 * would change (a key that stands twice, -0, text that is no JSON object) keeps its text whole and has no typed values.
 * `json_merge_patch` is of no use here: deep text crashes it.
 */
export function split(table: string, columns: readonly TypedColumn[]): string {
  if (columns.length === 0) throw new Error("nothing to split by");
  const found = (i: number) => `found[${i + 1}]::varchar`;
  const typed = columns.map((column, i) => `${VALUE_TYPES[column.type].parse(found(i))} as t${i}`);
  const keys = columns.map((column) => `getvariable('${keyVariable(column)}')`);
  const left = columns.map(
    (column, i) => `case when t${i} is null then getvariable('${memberVariable(column)}') || ${found(i)} end`,
  );
  const named = columns.map((column, i) => `case when is_split then t${i} end as ${columnName(column)}`);
  const temporary = ["json", "found", "members", "others", "is_split", ...columns.map((_, i) => `t${i}`)];
  return `(select * exclude (${temporary.join(", ")}), ${named.join(", ")},
      case when is_split then '{' || concat_ws(',', nullif(array_to_string(others, ','), ''), ${left.join(", ")}) || '}'
      else json end as ${REST}
    from (select *, ${typed.join(", ")},
        members is not null and len(others) + list_count(found) = cardinality(members) and not (${HAS_MINUS_ZERO}) as is_split
      from (select *, list_transform(
            list_filter(map_entries(members), lambda m: m.key not in (${keys.join(", ")})),
            lambda m: to_json(m.key)::varchar || ':' || coalesce(m.value::varchar, 'null')) as others
        from (select *, try(json_extract(json, getvariable('${pointersVariable(columns)}'))) as found,
            try(json_transform(json, '"MAP(VARCHAR, JSON)"')) as members
          from ${table}))))`;
}
