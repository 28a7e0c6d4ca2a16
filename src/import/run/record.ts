import { writeUuid } from "../survey/mod.ts";
import type { ImportedEvent } from "../types.ts";

/**
 * A sent event as it is noted: its UTC day (32 bits), a hash of name and distinct_id (32 bits), its uuid. Events of equal notes are one
 * event to the Weir.
 */
export const RECORD_BYTES = 24;
export const RECORD_WORDS = 6;
export const UUID_AT = 8;

export function writeRecord(buffer: Buffer, at: number, day: number, event: ImportedEvent): void {
  buffer.writeInt32LE(day, at);
  buffer.writeUInt32LE(Bun.hash.xxHash32(`${event.event}\0${event.distinct_id}`), at + 4);
  writeUuid(event.uuid, buffer, at + UUID_AT);
}
