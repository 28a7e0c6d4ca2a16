import { isJsonObject } from "../../types/mod.ts";
import type { QueryContext } from "../source/context.ts";

import { type Sql, sql, text } from "../sql/sql.ts";

/** A path after the environment's rules of cleaning, each of which replaces all that its expression finds. */
export function cleanedPath(path: Sql, { pathCleaningFilters }: QueryContext): Sql {
  const rules = Array.isArray(pathCleaningFilters) ? pathCleaningFilters : [];
  let cleaned = path;
  for (const rule of rules) {
    if (!isJsonObject(rule) || typeof rule.regex !== "string") continue;
    const alias = typeof rule.alias === "string" ? rule.alias : "";
    cleaned = sql`regexp_replace(${cleaned}, ${text(rule.regex)}, ${text(alias)}, 'g')`;
  }
  return cleaned;
}
