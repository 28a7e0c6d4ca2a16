/**
 * The partition of a distinct_id: FNV-1a (32 bit) over the project's id as two 16-bit units and the UTF-16 units of the
 * distinct_id, finished with MurmurHash3's mixer so that the low bits are even. Positions in the catalog rest on it:
 * it has test vectors and never changes.
 */
export function partitionOf(teamId: number, distinctId: string, partitions: number): number {
  let h = 0x811c9dc5;
  h = Math.imul(h ^ (teamId & 0xffff), 0x01000193);
  h = Math.imul(h ^ (teamId >>> 16), 0x01000193);
  for (let i = 0; i < distinctId.length; i++) h = Math.imul(h ^ distinctId.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) % partitions;
}

/** The partition of the identity lane that all merges of a project go through, in one order. */
export function identityPartitionOf(teamId: number, partitions: number): number {
  return partitionOf(teamId, "", partitions);
}
