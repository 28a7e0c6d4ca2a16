import { join, type Sql, sql, text } from "../../sql/sql.ts";
import { arrayOf, typeOf, value } from "../../value/types.ts";
import { type FunctionSpec, literalText, scalar, special } from "./spec.ts";
import { orEmpty } from "./texts.ts";

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

/** A match of nothing is none. */
const withoutEmpty = (list: Sql): Sql => sql`list_filter(${list}, lambda x: x <> '')`;

/** With a group in brackets what that holds, else what the whole pattern meets. */
const extracting = (isAll: boolean): FunctionSpec =>
  special(["text", "any"], ([x, pattern]) => {
    const written = literalText(pattern, "The pattern");
    const [name, type] = isAll
      ? [sql`regexp_extract_all`, arrayOf(typeOf("string"))]
      : [sql`regexp_extract`, typeOf("string")];
    const group = constant(Math.min(groupCount(written), 1));
    const found = sql`${name}(${isAll ? orEmpty(x!) : x!.sql}, ${text(written)}, ${group}, 's')`;
    return value(isAll ? withoutEmpty(found) : found, { ...type, nullable: x!.type.nullable && !isAll }, [x!]);
  });

/** What each group in brackets holds; nothing where the pattern is not met. */
const groups = special(["text", "any"], ([x, pattern]) => {
  const written = literalText(pattern, "The pattern");
  const found = Array.from(
    { length: groupCount(written) },
    (_, i) => sql`regexp_extract(${x!.sql}, ${text(written)}, ${constant(i + 1)}, 's')`,
  );
  const isMet = sql`regexp_matches(${x!.sql}, ${text(written)}, 's')`;
  const list = sql`CAST(CASE WHEN ${isMet} THEN [${join(found, ", ")}] ELSE [] END AS VARCHAR[])`;
  return value(list, arrayOf(typeOf("string")), [x!]);
});

/** An empty pattern replaces nothing, as one that no text meets. Nothing is written twice: such calls stand in each other. */
const replacing = (flags: Sql) =>
  special(["text", "text", "text"], ([x, y, z]) => {
    const isPlain = typeof y!.constant === "string" && y!.constant !== "";
    const pattern = isPlain ? y!.sql : sql`regexp_replace(${y!.sql}, '^$', '.^')`;
    const nullable = [x, y, z].some((value) => value!.type.nullable);
    return value(sql`regexp_replace(${x!.sql}, ${pattern}, ${z!.sql}, ${flags})`, typeOf("string", nullable), [
      x!,
      y!,
      z!,
    ]);
  });

const replaceRegexpAll = replacing(sql`'gs'`);

/** RE2, as in ClickHouse: nothing that takes more than linear time. A dot meets the end of a line, too. */
export const PATTERNS: Record<string, FunctionSpec> = {
  extract: extracting(false),
  extractAll: extracting(true),
  extractGroups: groups,
  replaceRegexpAll,
  replaceRegexpOne: replacing(sql`'s'`),
  regexpReplace: replaceRegexpAll,
  regexpQuoteMeta: scalar(
    ["text"],
    "string",
    (x) => sql`regexp_replace(${x}, ${text("([\\\\|()^$.\\[\\]?*+{:-])")}, ${text("\\\\\\1")}, 'g')`,
  ),
  countMatches: scalar(
    ["text", "text"],
    "int",
    (x, y) => sql`len(${withoutEmpty(sql`regexp_extract_all(${x}, ${y}, 0, 's')`)})`,
  ),
  multiMatchAny: scalar(
    ["text", "array"],
    "bool",
    (x, patterns) =>
      sql`CASE WHEN ${x} IS NOT NULL THEN len(list_filter(${patterns}, lambda y: regexp_matches(${x}, y, 's'))) > 0 END`,
  ),
};
