import { eachMember, keyText, parseExact } from "../json/mod.ts";
import {
  type AcceptedEvent,
  EventFlag,
  type IllegalMerge,
  type Json,
  type Merge,
  type MergeKind,
} from "../types/mod.ts";
import { isIllegalToMerge, readDistinctId } from "./distinctId.ts";

const KINDS = new Map<string, MergeKind>([
  ["$identify", "identify"],
  ["$create_alias", "alias"],
  ["$merge_dangerously", "dangerous"],
]);

/**
 * The merge that an event asks for, or null (docs/persons.md#merges: `alias` becomes the main id). Events of other names cost
 * nothing.
 */
export function mergeOf(
  event: Pick<AcceptedEvent, "event" | "distinctId" | "properties" | "flags">,
): Merge | IllegalMerge | null {
  const kind = mergeKindOf(event.event);
  if (kind === null || (event.flags & EventFlag.Personless) !== 0) return null;
  const named = otherId(kind, event.properties);
  if (named === null) return null;
  const { id: other, isCut } = readDistinctId(named);
  if (other === event.distinctId) return null;
  const [source, target] = kind === "alias" ? [event.distinctId, other] : [other, event.distinctId];
  const merge: Merge = { kind, source, target };
  if (isCut) merge.isCut = true;
  return isIllegalToMerge(source) || isIllegalToMerge(target) ? { ...merge, illegal: true } : merge;
}

/** The kind of merge that events of this name ask for; null for other events. */
export function mergeKindOf(eventName: string): MergeKind | null {
  return KINDS.get(eventName) ?? null;
}

/** Of all properties only this one is parsed. */
function otherId(kind: MergeKind, properties: string): Json {
  const name = kind === "identify" ? "$anon_distinct_id" : "alias";
  let text = "null";
  eachMember(properties, (keyStart, keyEnd, valueStart, valueEnd) => {
    if (keyText(properties, keyStart, keyEnd) === name) text = properties.slice(valueStart, valueEnd);
  });
  const other = parseExact(text);
  return kind === "identify" || other ? other : null;
}
