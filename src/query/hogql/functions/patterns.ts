import { join, type Sql, sql, text } from "../../sql.ts";
import { arrayOf, typeOf, value } from "../types.ts";
import { type FunctionSpec, literalText, scalar, special } from "./spec.ts";

/** How many groups in brackets a pattern has. */
function groupCount(pattern: string): number {
  return (
    pattern
      .replace(/\\./gs, "")
      .replace(/\[\]?[^\]]*\]/g, "")
      .match(/\((?!\?(?!P?<[a-zA-Z]))/g) ?? []
  ).length;
}

/** The engine takes the number of a group as a constant only. */
const constant = (group: number): Sql => ({ parts: [String(group)] });

/** With a group in brackets what that holds, else what the whole pattern meets. */
const extracting = (isAll: boolean): FunctionSpec =>
  special(["text", "any"], ([x, pattern]) => {
    const written = literalText(pattern, "The pattern");
    const [name, type] = isAll
      ? [sql`regexp_extract_all`, arrayOf(typeOf("string"))]
      : [sql`regexp_extract`, typeOf("string")];
    const found = sql`${name}(${x!.sql}, ${text(written)}, ${constant(Math.min(groupCount(written), 1))})`;
    return value(found, { ...type, nullable: x!.type.nullable && !isAll }, [x!]);
  });

/** What each group in brackets holds. */
const groups = special(["text", "any"], ([x, pattern]) => {
  const written = literalText(pattern, "The pattern");
  const found = Array.from(
    { length: groupCount(written) },
    (_, i) => sql`regexp_extract(${x!.sql}, ${text(written)}, ${constant(i + 1)})`,
  );
  const list = sql`CAST([${join(found, ", ")}] AS VARCHAR[])`;
  return value(list, arrayOf(typeOf("string")), [x!]);
});

const replacing = (flags: Sql) =>
  scalar(["text", "text", "text"], "string", (x, y, z) => sql`regexp_replace(${x}, ${y}, ${z}${flags})`);

const replaceRegexpAll = replacing(sql`, 'g'`);

/** RE2, as in ClickHouse: nothing that takes more than linear time. */
export const PATTERNS: Record<string, FunctionSpec> = {
  extract: extracting(false),
  extractAll: extracting(true),
  extractGroups: groups,
  replaceRegexpAll,
  replaceRegexpOne: replacing(sql``),
  regexpReplace: replaceRegexpAll,
  regexpQuoteMeta: scalar(["text"], "string", (x) => sql`regexp_escape(${x})`),
  countMatches: scalar(["text", "text"], "int", (x, y) => sql`len(regexp_extract_all(${x}, ${y}))`),
  multiMatchAny: scalar(
    ["text", "array"],
    "bool",
    (x, patterns) => sql`(len(list_filter(${patterns}, lambda y: regexp_matches(${x}, y))) > 0)`,
  ),
};
