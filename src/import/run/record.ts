import { readUuid, writeUuid } from "../survey/mod.ts";
import type { ImportedEvent } from "../types.ts";

/**
 * A sent event as it is noted: its UTC day (32 bits), a hash of name and distinct_id whose lowest bit says whether it was made (32 bits),
 * its uuid. Events of equal notes are one event to the Weir.
 */
export const RECORD_BYTES = 24;
export const RECORD_WORDS = 6;
const UUID_AT = 8;

export function writeRecord(
  buffer: Buffer,
  at: number,
  { event, day, isMade }: { event: ImportedEvent; day: number; isMade: boolean },
): void {
  const hash = Bun.hash.xxHash32(`${event.event}\0${event.distinct_id}`);
  buffer.writeInt32LE(day, at);
  buffer.writeUInt32LE(((hash & ~1) | Number(isMade)) >>> 0, at + 4);
  writeUuid(event.uuid, buffer, at + UUID_AT);
}

/** Of a record in a buffer. */
export const dayAt = (bytes: Buffer, record: number): number => bytes.readInt32LE(record * RECORD_BYTES);
export const isMadeAt = (bytes: Buffer, record: number): boolean => (bytes[record * RECORD_BYTES + 4]! & 1) === 1;
export const uuidAt = (bytes: Buffer, record: number): string => readUuid(bytes, record * RECORD_BYTES + UUID_AT);
