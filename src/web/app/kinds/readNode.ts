import { isNode, isObject, type QueryNode } from "../api/node.ts";
import { sourceOf, withSource } from "./wrapping.ts";

/**
 * A question that comes from an insight, an address or a draft, as the pages have it: members that are null are away, as they say
 * nothing (docs/queries.md). Null: it is no question.
 */
export function readNode(given: unknown): QueryNode | null {
  if (!isNode(given)) return null;
  const source = sourceOf(given);
  // The values of SQL are people's own.
  return source.kind === "HogQLQuery" ? given : withSource(given, withoutNulls(source) as QueryNode);
}

/** Places in a list count, so nothing is taken out of it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(members.map(([name, one]) => [name, withoutNulls(one)]));
}
