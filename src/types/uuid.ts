import { randomFillSync } from "node:crypto";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BARE = /^[0-9a-f]{32}$/i;

function format(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The canonical form of a UUID of any version (with or without hyphens), or null. */
export function parseUuid(text: string): string | null {
  if (UUID.test(text)) return text.toLowerCase();
  if (!BARE.test(text)) return null;
  return format(Buffer.from(text, "hex"));
}

/** RFC 9562 version 7: time-ordered, for events that come without a uuid. */
export function uuidV7(nowMs: number): string {
  const bytes = new Uint8Array(16);
  randomFillSync(bytes, 6);
  for (let i = 0, rest = nowMs; i < 6; i++, rest = Math.floor(rest / 256)) bytes[5 - i] = rest % 256;
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return format(bytes);
}

/** RFC 9562 version 5 (SHA-1 of namespace and name, whose lone surrogates count as U+FFFD). */
export const uuidV5 = (namespace: Uint8Array, name: string): string => Bun.randomUUIDv5(name, namespace);

/** PostHog's namespace for person uuids; the same ids come out of both (docs/persons.md#person-ids). */
const PERSON_NAMESPACE = Buffer.from("932979b465c3442484670b66ec27bc22", "hex");

/** The person of a distinct_id before any merge: needs no look-up, so ingestion scales with partitions. To remember it would cost more. */
export const personIdOf = (teamId: number, distinctId: string): string =>
  uuidV5(PERSON_NAMESPACE, `${teamId}:${distinctId}`);
