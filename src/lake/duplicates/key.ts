/**
 * The 64-bit key of an event for the duplicate check: xxHash64 (a published algorithm, seed 0) of
 * `<team>:<day>:<length of event>:<event><distinct_id><uuid>`. It is stored in files: never change it.
 */
export function duplicateKey(teamId: number, day: number, event: string, distinctId: string, uuid: string): bigint {
  return Bun.hash.xxHash64(`${teamId}:${day}:${event.length}:${event}${distinctId}${uuid}`);
}

const scratch64 = new BigUint64Array(1);
const scratch32 = new Uint32Array(scratch64.buffer);

/** Splits a key into its halves; 32-bit integers are far cheaper to compare than bigints. */
export function splitKey(key: bigint): { low: number; high: number } {
  scratch64[0] = key;
  return { low: scratch32[0]!, high: scratch32[1]! };
}
