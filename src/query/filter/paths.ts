import { isJsonObject } from "../../types/mod.ts";
import { call, constant } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";

/** A path after rules of cleaning, `[{regex, alias}]`, each of which replaces all that its expression finds. */
export function cleanedPath(path: Expression, rules: unknown): Expression {
  return (Array.isArray(rules) ? rules : []).reduce((cleaned: Expression, rule) => {
    if (!isJsonObject(rule) || typeof rule.regex !== "string") return cleaned;
    const alias = typeof rule.alias === "string" ? rule.alias : "";
    return call("replaceRegexpAll", cleaned, constant(rule.regex), constant(alias));
  }, path);
}
