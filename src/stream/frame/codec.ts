import { zstdDecompressSync } from "node:zlib";
import { type AcceptedEvent, describeError, TerminalError } from "../../types/mod.ts";

/**
 * A frame's payload: zstd over lines, one an event, fields separated by the unit separator:
 * `teamId ␟ flags ␟ timestampMs ␟ mergedAtMs ␟ mergeSequence ␟ uuid ␟ JSON(distinctId) ␟ JSON(event) ␟ JSON(elementsChain) ␟ properties`.
 * No field can hold a separator or a line break (valid JSON text has neither), so nothing is escaped and the text of
 * `properties` comes back exactly as it was sent. `FrameWriter` writes it.
 */
const UNIT = "\x1f";
export const UNIT_CODE = 0x1f;
export const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
/** A frame unpacks to less than this; more is taken for a corrupt frame (or a bomb). */
export const FRAME_RAW_MAX_BYTES = 64 * 1024 * 1024;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The events of a payload in order; TerminalError `corrupt_frame` for anything that no writer made. */
export function decodeFrame(payload: Uint8Array): AcceptedEvent[] {
  const events: AcceptedEvent[] = [];
  const text = unpack(payload);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    if (end < 0) throw corrupt(`line ${events.length} has no end`);
    events.push(decodeLine(text, at, end, events.length));
    at = end + 1;
  }
  return events;
}

function unpack(payload: Uint8Array): string {
  try {
    const sizeBytes = unpackedBytes(payload);
    // The faster call has no limit of its own, so it is for payloads that say how large they are.
    const raw =
      sizeBytes !== null && sizeBytes <= FRAME_RAW_MAX_BYTES
        ? Bun.zstdDecompressSync(payload)
        : zstdDecompressSync(payload, { maxOutputLength: FRAME_RAW_MAX_BYTES });
    return UTF8.decode(raw);
  } catch (error) {
    throw corrupt(describeError(error));
  }
}

const ZSTD_MAGIC = 0xfd2fb528;

/** The size that a zstd frame says it unpacks to (RFC 8878, 3.1.1.1); null where that size is not written in one to four bytes. */
export function unpackedBytes(payload: Uint8Array): number | null {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  if (payload.length < 10 || view.getUint32(0, true) !== ZSTD_MAGIC) return null;
  const descriptor = payload[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  switch (descriptor >> 6) {
    case 0:
      return isSingleSegment ? payload[at]! : null;
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return null;
  }
}

function decodeLine(text: string, start: number, end: number, index: number): AcceptedEvent {
  let at = start;
  const next = (): string => {
    const stop = text.indexOf(UNIT, at);
    if (stop < 0 || stop > end) throw corrupt(`line ${index} has too few fields`);
    const field = text.slice(at, stop);
    at = stop + 1;
    return field;
  };
  // Digit by digit: a text for each number costs as much as all else of the line.
  const nextNumber = (): number => {
    const isNegative = text.charCodeAt(at) === MINUS;
    if (isNegative) at++;
    let number = 0;
    let code = text.charCodeAt(at);
    if (code === UNIT_CODE) throw corrupt(`line ${index} has a field that is not a number`);
    for (; code !== UNIT_CODE; code = text.charCodeAt(++at)) {
      if (!(code >= ZERO && code <= NINE)) throw corrupt(`line ${index} has a field that is not a number`);
      number = number * 10 + (code - ZERO);
    }
    if (number > Number.MAX_SAFE_INTEGER) throw corrupt(`line ${index} has a field that is not a number`);
    at++;
    return isNegative ? -number : number;
  };
  const teamId = nextNumber();
  const flags = nextNumber();
  const timestampMs = nextNumber();
  const mergedAtMs = nextNumber();
  const mergeSequence = nextNumber();
  const uuid = next();
  const distinctId = decodeText(next(), index);
  const event = decodeText(next(), index);
  const elementsChain = decodeText(next(), index);
  const properties = text.slice(at, end);
  return { teamId, uuid, event, distinctId, timestampMs, properties, elementsChain, flags, mergedAtMs, mergeSequence };
}

/** A JSON string; without escapes it is the text between the quotes. */
function decodeText(json: string, index: number): string {
  if (!json.includes("\\") && json.length >= 2) return json.slice(1, -1);
  try {
    return String(JSON.parse(json));
  } catch {
    throw corrupt(`line ${index} has a field that is not a JSON string`);
  }
}

function corrupt(detail: string): TerminalError {
  return new TerminalError("corrupt_frame", `The frame cannot be read: ${detail}`);
}
