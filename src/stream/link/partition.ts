import { type OutgoingEvent, RawEvent } from "../../types/mod.ts";

/**
 * The partition of a distinct_id: FNV-1a (32 bit) over the project's id as two 16-bit units and the UTF-16 units of the
 * distinct_id, finished with MurmurHash3's mixer so that the low bits are even. Positions in the catalog rest on it:
 * it has test vectors and never changes.
 */
export function partitionOf(teamId: number, distinctId: string, partitions: number): number {
  let h = ofTeam(teamId);
  for (let i = 0; i < distinctId.length; i++) h = Math.imul(h ^ distinctId.charCodeAt(i), FNV_PRIME);
  return mixed(h) % partitions;
}

/** That of an event. No text is made of a raw one: of ASCII every byte is a unit. */
export function partitionOfEvent(event: OutgoingEvent, partitions: number): number {
  if (!(event instanceof RawEvent)) return partitionOf(event.teamId, event.distinctId, partitions);
  const { bytes, distinctIdEnd } = event;
  let h = ofTeam(event.teamId);
  for (let at = event.distinctIdStart; at < distinctIdEnd; at++) h = Math.imul(h ^ bytes[at]!, FNV_PRIME);
  return mixed(h) % partitions;
}

const FNV_PRIME = 0x01000193;

function ofTeam(teamId: number): number {
  const h = Math.imul(0x811c9dc5 ^ (teamId & 0xffff), FNV_PRIME);
  return Math.imul(h ^ (teamId >>> 16), FNV_PRIME);
}

function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The partition of the identity lane that all merges of a project go through, in one order. */
export function identityPartitionOf(teamId: number, partitions: number): number {
  return partitionOf(teamId, "", partitions);
}
