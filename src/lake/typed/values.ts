import type { ColumnType } from "./columns.ts";

/**
 * A value has its column only where the text that is made of the column again is the one that JSON has: so reading the
 * column and reading the JSON are one thing, for every value. `1.0`, `1e2` and integers of more than 64 bits stay JSON.
 */
interface ValueType {
  /** The value of a JSON text (NULL for a missing one), or NULL where it is not exactly one of this type. */
  parse(json: string): string;
  /** The value as text, as JSON reading gives it: strings without quotes. NULL stays NULL. */
  text(column: string): string;
  /** The value as JSON text. */
  json(column: string): string;
  /** The number that the text holds, else NULL. */
  number(column: string): string;
}

/** A number as JavaScript writes it: without a trailing `.0`. */
const doubleText = (column: string): string =>
  `case when ${column} = trunc(${column}) and abs(${column}) < 1e15 then ${column}::bigint::varchar else ${column}::varchar end`;

const bigint = (json: string): string => `try_cast(${json} as bigint)`;
const double = (json: string): string => `try_cast(${json} as double)`;
const asText = (column: string): string => `${column}::varchar`;
/** The number in a text, else NULL. The engine would skip a `_` among digits. */
export const numberIn = (text: string): string => `try_cast(replace(${text}, '_', 'x') as double)`;

export const VALUE_TYPES: Record<ColumnType, ValueType> = {
  VARCHAR: {
    parse: (json) => `case when starts_with(${json}, '"') then json_extract_string(${json}, '') end`,
    text: (column) => column,
    json: (column) => `to_json(${column})::varchar`,
    number: numberIn,
  },
  BOOLEAN: {
    parse: (json) => `case ${json} when 'true' then true when 'false' then false end`,
    text: asText,
    json: asText,
    number: () => "null::double",
  },
  BIGINT: {
    parse: (json) => `case when ${asText(bigint(json))} = ${json} then ${bigint(json)} end`,
    text: asText,
    json: asText,
    number: (column) => `${column}::double`,
  },
  DOUBLE: {
    parse: (json) => `case when ${doubleText(double(json))} = ${json} then ${double(json)} end`,
    text: doubleText,
    json: doubleText,
    number: (column) => column,
  },
};
