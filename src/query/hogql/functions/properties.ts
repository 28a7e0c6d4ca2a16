import { sql } from "../../sql/sql.ts";
import { asText } from "../../value/convert.ts";
import { arrayOf, typeOf } from "../../value/types.ts";
import { type FunctionSpec, scalar, special } from "./spec.ts";

/** Weir's own functions, which property filters and samples are written with. */
export const PROPERTIES: Record<string, FunctionSpec> = {
  /** A property as the text that is stored, whatever its definition says; NULL where it is missing. */
  storedText: special(["any"], ([property], call) => property!.stored ?? asText(property!, call)),
  /** The elements of a JSON list as texts; another text is the only element. */
  listedTexts: scalar(
    ["text"],
    arrayOf(typeOf("string", true)),
    (x) => sql`CASE WHEN json_valid(${x}) THEN json_extract_string(${x}, '$[*]') ELSE [${x}] END`,
    false,
  ),
  /** The numbers at the beginning of a version, `[1, 2, 3]` of `v1.2.3-beta`; NULL where there are none. */
  versionNumbers: scalar(
    ["text"],
    { ...arrayOf(typeOf("int")), nullable: true },
    (x) =>
      sql`list_transform(string_split(nullif(regexp_extract(${x}, '^\\s*[vV]?(\\d+(?:\\.\\d+)*)', 1), ''), '.'), lambda x: TRY_CAST(x AS BIGINT))`,
  ),
  /** A number below a million that spreads texts evenly: a sample takes those below a bound. */
  sampleNumber: scalar(["text"], "int", (x) => sql`CAST(hash(${x}) % 1000000 AS BIGINT)`, false),
};
