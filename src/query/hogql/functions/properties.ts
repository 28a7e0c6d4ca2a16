import { asNumber } from "../../sql/properties.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { asDatetime, asText } from "../../value/convert.ts";
import { arrayOf, type Type, typeOf, type Value, value } from "../../value/types.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

/** The text of a property, whatever its definition says, or of another value. */
const textOf = (from: Value, call: CallContext): Value => from.stored ?? asText(from, call);

/** A function of the text of a property. */
const ofText = (type: Type, write: (text: Sql, of: Value, call: CallContext) => Sql): FunctionSpec =>
  special(["any"], ([from], call) => {
    const text = textOf(from!, call);
    return value(write(text.sql, text, call), type, [from!]);
  });

/** Weir's own functions, which property filters and samples are written with. */
export const PROPERTIES: Record<string, FunctionSpec> = {
  /** A property as the text that is stored; NULL where the property is missing. */
  storedText: special(["any"], ([from], call) => textOf(from!, call)),
  /** A property as a time: a text that is a time, or seconds since 1970. */
  storedTime: ofText(typeOf("datetime", true), (text, of, call) => {
    const isSeconds = sql`regexp_full_match(${text}, '\\d{9,10}(\\.\\d+)?')`;
    const seconds = sql`make_timestamp(CAST(${asNumber(text)} * 1000000 AS BIGINT))`;
    return sql`CASE WHEN ${isSeconds} THEN ${seconds} ELSE ${asDatetime(of, call).sql} END`;
  }),
  /** The elements of a JSON list as texts; another text is the only element. */
  listedTexts: ofText(
    arrayOf(typeOf("string", true)),
    (text) => sql`CASE WHEN json_valid(${text}) THEN json_extract_string(${text}, '$[*]') ELSE [${text}] END`,
  ),
  /** The numbers at the beginning of a version, `[1, 2, 3]` of `v1.2.3-beta`; NULL where there are none. */
  versionNumbers: ofText({ ...arrayOf(typeOf("int")), nullable: true }, (text) => {
    const numbers = sql`regexp_extract(${text}, '^\\s*[vV]?(\\d+(?:\\.\\d+)*)', 1)`;
    return sql`list_transform(string_split(nullif(${numbers}, ''), '.'), lambda x: TRY_CAST(x AS BIGINT))`;
  }),
  /** A number below a million that spreads texts evenly: a sample takes those below a bound. */
  sampleNumber: scalar(["text"], "int", (x) => sql`CAST(hash(${x}) % 1000000 AS BIGINT)`, false),
};
