import { isJsonObject } from "../../types/mod.ts";
import { call, constant } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";

/** A path after the environment's rules of cleaning, each of which replaces all that its expression finds. */
export function cleanedPath(path: Expression, { pathCleaningFilters }: QueryContext): Expression {
  const rules = Array.isArray(pathCleaningFilters) ? pathCleaningFilters : [];
  return rules.reduce((cleaned: Expression, rule) => {
    if (!isJsonObject(rule) || typeof rule.regex !== "string") return cleaned;
    const alias = typeof rule.alias === "string" ? rule.alias : "";
    return call("replaceRegexpAll", cleaned, constant(rule.regex), constant(alias));
  }, path);
}
