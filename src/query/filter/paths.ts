import { isJsonObject } from "../../types/mod.ts";
import type { QueryContext } from "../source/context.ts";

import { type Sql, sql, text } from "../sql/sql.ts";

/** A rule of cleaning paths: all that the expression (RE2) finds is replaced; `\1` is its first group. */
export interface CleaningRule {
  regex: string;
  alias: string;
}

/** The rules in `[{regex, alias}]`, without what is none. */
export function cleaningRules(rules: unknown): CleaningRule[] {
  return (Array.isArray(rules) ? rules : []).flatMap((rule) => {
    if (!isJsonObject(rule) || typeof rule.regex !== "string") return [];
    return [{ regex: rule.regex, alias: typeof rule.alias === "string" ? rule.alias : "" }];
  });
}

/** A path after the environment's rules of cleaning, one after another. */
export function cleanedPath(path: Sql, { pathCleaningFilters }: QueryContext): Sql {
  return cleaningRules(pathCleaningFilters).reduce(
    (cleaned, { regex, alias }) => sql`regexp_replace(${cleaned}, ${text(regex)}, ${text(alias)}, 'g')`,
    path,
  );
}
