import { type AcceptedEvent, EventFlag, type Json, type JsonObject } from "../types/mod.ts";
import { distinctIdText, parseExact } from "./distinctId.ts";
import { isIllegalToMerge } from "./illegalIds.ts";

export type MergeKind = "identify" | "alias" | "dangerous";

/** That two distinct_ids are one person: the one of `target`, when both have one. */
export interface Merge {
  illegal?: false;
  kind: MergeKind;
  source: string;
  target: string;
}

/** One of the ids names nobody: the event counts, the merge does not. */
export interface IllegalMerge extends Omit<Merge, "illegal"> {
  illegal: true;
}

const KINDS: Partial<Record<string, MergeKind>> = {
  $identify: "identify",
  $create_alias: "alias",
  $merge_dangerously: "dangerous",
};

/**
 * What an event wants merged, null when nothing (reference: capture, 3.3 and 3.4; `alias` becomes the main id, as the
 * spec has it). Costs nothing for an event of any other name.
 */
export function mergeOf(
  event: Pick<AcceptedEvent, "event" | "distinctId" | "properties" | "flags">,
): Merge | IllegalMerge | null {
  const kind = mergeKindOf(event.event);
  if (kind === null || (event.flags & EventFlag.Personless) !== 0) return null;
  const other = otherId(kind, parseExact(event.properties) as JsonObject);
  if (other === null || other === event.distinctId) return null;
  const [source, target] = kind === "alias" ? [event.distinctId, other] : [other, event.distinctId];
  const merge = { kind, source, target };
  return isIllegalToMerge(source) || isIllegalToMerge(target) ? { ...merge, illegal: true } : merge;
}

/** What an event of this name may merge; null when never anything. */
export function mergeKindOf(eventName: string): MergeKind | null {
  return Object.hasOwn(KINDS, eventName) ? KINDS[eventName]! : null;
}

function otherId(kind: MergeKind, properties: JsonObject): string | null {
  const other: Json = (kind === "identify" ? properties.$anon_distinct_id : properties.alias) ?? null;
  if (other === null || (kind !== "identify" && !other)) return null;
  return distinctIdText(other);
}
