import { membersOf, withMembers } from "../json/mod.ts";
import type { AcceptedEvent, Lane, Merge, MergeKind } from "../types/mod.ts";

/** A message of the identity lane: that two ids are one person, or an imported person. */
export type IdentityRequest = MergeRequest | PersonImport;

export interface MergeRequest {
  kind: MergeKind;
  source: string;
  target: string;
  /** Its event came with history: the merge counts at the event's own time (protocol rule 19). */
  isHistorical: boolean;
}

/** A person with all its distinct_ids, at least one; the first is the main one. */
export interface PersonImport {
  kind: "import";
  distinctIds: string[];
  /** JSON object text, as it was sent. */
  properties: string;
  /** Epoch milliseconds; null: since its first event. */
  createdAtMs: number | null;
  /** Where it comes from it is identified: what it was not merged with there it is not merged with here. */
  isIdentified: boolean;
}

/** The copy of a merging event that is sent ahead of it, with only the fields that the identity actor needs. */
export function mergeRequest(
  event: Omit<AcceptedEvent, "properties">,
  { kind, source, target }: Merge,
  lane: Lane,
): AcceptedEvent {
  const { teamId, uuid, event: name, distinctId, timestampMs, flags } = event;
  const asked = { kind, source, target, ...(lane === "history" ? { historical: true } : {}) };
  const rest = { elementsChain: "", flags, mergedAtMs: 0, mergeSequence: 0 };
  return { teamId, uuid, event: name, distinctId, timestampMs, properties: JSON.stringify(asked), ...rest };
}

/** The message of an imported person; no event is stored. */
export function importRequest(o: { teamId: number; uuid: string; nowMs: number }, person: PersonImport): AcceptedEvent {
  const { distinctIds, createdAtMs, isIdentified, properties } = person;
  const head = JSON.stringify({
    ...{ kind: "import", distinct_ids: distinctIds, created_at_ms: createdAtMs, is_identified: isIdentified },
  });
  return {
    teamId: o.teamId,
    uuid: o.uuid,
    event: "",
    distinctId: distinctIds[0]!,
    timestampMs: o.nowMs,
    properties: withMembers(head, new Map([["properties", properties]])),
    elementsChain: "",
    flags: 0,
    mergedAtMs: 0,
    mergeSequence: 0,
  };
}

/** The request in a message of the identity lane. */
export function readIdentityRequest({ properties }: Pick<AcceptedEvent, "properties">): IdentityRequest {
  const { kind, source, target, historical } = JSON.parse(properties);
  if (kind !== "import") return { kind, source, target, isHistorical: historical === true };
  // As text: numbers of an import keep their digits.
  const members = membersOf(properties);
  const read = (key: string) => JSON.parse(members.get(key) ?? "");
  return {
    kind,
    distinctIds: read("distinct_ids"),
    createdAtMs: read("created_at_ms"),
    // Messages of before lack it.
    isIdentified: members.get("is_identified") === "true",
    properties: members.get("properties") ?? "{}",
  };
}
