import { isJsonObject, type Json } from "../../types/mod.ts";
import type { Named } from "./uses.ts";
import { propertyPlace } from "./uses.ts";

const TEXT = /'((?:[^'\\]|\\.|'')*)'/g;
/** A field of properties, with what is before it and the name behind a dot or in brackets. */
const FIELD =
  /(?:\b(person|group_\d)\s*\.\s*)?\bproperties\s*(?:\.\s*(?:`([^`]*)`|([\w$]+))|\[\s*'((?:[^'\\]|\\.|'')*)'\s*\])/g;

/** What the HogQL in a query names: each text in quotes may be an event, each field of properties is one. By the text alone. */
export function namedInSql(node: Json): Named {
  const named: Named = { events: new Set(), properties: new Set() };
  for (const sql of sqlIn(node)) {
    for (const [, text = ""] of sql.matchAll(TEXT)) named.events.add(unquoted(text));
    for (const [, owner = "event", quoted, plain, inBrackets] of sql.matchAll(FIELD)) {
      const name = quoted ?? plain ?? unquoted(inBrackets ?? "");
      named.properties.add(propertyPlace(owner.startsWith("group") ? "group" : owner, name));
    }
  }
  return named;
}

const unquoted = (text: string): string => text.replace(/''|\\(.)/g, (pair, escaped: string) => escaped ?? pair[0]);

/** The texts of HogQL in a query: whole ones, and expressions of filters, math and breakdowns. */
function sqlIn(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(sqlIn);
  if (!isJsonObject(node)) return [];
  const { kind, query, type, key, breakdown, breakdown_type, math_hogql } = node;
  const own = [
    kind === "HogQLQuery" ? query : null,
    type === "hogql" ? key : null,
    breakdown_type === "hogql" ? breakdown : null,
    type === "hogql" ? node.property : null,
    math_hogql,
  ];
  return [...own.filter((text) => typeof text === "string"), ...Object.values(node).flatMap(sqlIn)];
}
