import { membersOf, withMembers } from "../json/mod.ts";
import type { AcceptedEvent, Lane, Merge, MergeKind } from "../types/mod.ts";

/** A message of the identity lane: that two ids are one person, or an imported person or group. */
export type IdentityRequest = MergeRequest | PersonImport | GroupImport;

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

/** A group as it is where it comes from. */
export interface GroupImport {
  kind: "group";
  type: string;
  key: string;
  /** JSON object text, as it was sent. */
  properties: string;
  /** Epoch milliseconds; null: since its first event. */
  createdAtMs: number | null;
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

/** The message of an imported person or group; no event is stored. */
export function importRequest(
  o: { teamId: number; uuid: string; nowMs: number },
  imported: PersonImport | GroupImport,
): AcceptedEvent {
  const { kind, properties, createdAtMs: created_at_ms } = imported;
  const subject =
    imported.kind === "group"
      ? { type: imported.type, key: imported.key }
      : { distinct_ids: imported.distinctIds, is_identified: imported.isIdentified };
  const head = JSON.stringify({ kind, ...subject, created_at_ms });
  return {
    teamId: o.teamId,
    uuid: o.uuid,
    event: "",
    distinctId: imported.kind === "group" ? imported.key : imported.distinctIds[0]!,
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
  if (kind !== "import" && kind !== "group") return { kind, source, target, isHistorical: historical === true };
  // As text: numbers of an import keep their digits.
  const members = membersOf(properties);
  const read = (key: string) => JSON.parse(members.get(key) ?? "");
  const told = { createdAtMs: read("created_at_ms"), properties: members.get("properties") ?? "{}" };
  if (kind === "group") return { kind, type: read("type"), key: read("key"), ...told };
  // Messages of before lack it.
  const isIdentified = members.get("is_identified") === "true";
  return { kind, distinctIds: read("distinct_ids"), isIdentified, ...told };
}
