import { zstdDecompressSync } from "node:zlib";
import {
  type AcceptedEvent,
  describeError,
  type OutgoingEvent,
  RawEvent,
  TerminalError,
  UUID_BYTES,
} from "../types/mod.ts";

/**
 * A frame's payload: zstd over lines, one an event, fields separated by the unit separator:
 * `teamId ␟ flags ␟ timestampMs ␟ mergedAtMs ␟ mergeSequence ␟ uuid ␟ JSON(distinctId) ␟ JSON(event) ␟ JSON(elementsChain) ␟ properties`.
 * No field can hold a separator or a line break (valid JSON text has neither), so nothing is escaped and the text of
 * `properties` comes back exactly as it was sent.
 */
const UNIT = "\x1f";
const UNIT_CODE = 0x1f;
const LINE_BREAK = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const CLOSE_OBJECT = 0x7d;
/** A frame unpacks to less than this; more is taken for a corrupt frame (or a bomb). */
export const FRAME_RAW_MAX_BYTES = 64 * 1024 * 1024;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What a line takes besides its texts, about. */
const LINE_BYTES = 73;
/** The uuid, numbers and separators of a line, and the quotes of its texts. */
const HEAD_MAX_BYTES = 256;

/** Collects lines and packs them. One serves all partitions of a publisher: a frame is built in one go. */
export class FrameWriter {
  #buffer = Buffer.allocUnsafeSlow(1024 * 1024);
  #sizeBytes = 0;
  /** Of the last raw event that had some; those of a request have the same. */
  #added = "";
  #addedBytes = Buffer.alloc(0);

  /** Bytes before compression so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add(event: OutgoingEvent): void {
    if (event instanceof RawEvent) this.#addRaw(event);
    else this.#addMade(event);
  }

  #addMade(event: OutgoingEvent): void {
    const { distinctId, event: name, elementsChain, properties, added = "" } = event;
    this.#reserve(estimateBytes(event) * 6 + HEAD_MAX_BYTES); // a unit may become `\u001f`
    const buffer = this.#buffer;
    const { teamId, flags, timestampMs, mergedAtMs, mergeSequence } = event;
    let at = this.#sizeBytes;
    at = putNumber(buffer, at, teamId);
    at = putNumber(buffer, at, flags);
    at = putNumber(buffer, at, timestampMs);
    at = putNumber(buffer, at, mergedAtMs);
    at = putNumber(buffer, at, mergeSequence);
    at = putPlain(buffer, at, event.uuid);
    at = putText(buffer, at, distinctId);
    at = putText(buffer, at, name);
    at = putText(buffer, at, elementsChain);
    at +=
      typeof properties === "string"
        ? buffer.write(properties, at)
        : properties.bytes.copy(buffer, at, properties.start, properties.end);
    if (added !== "") {
      at += buffer.write(added, at - 1); // over the closing brace
      buffer[at - 1] = CLOSE_OBJECT;
    }
    buffer[at++] = LINE_BREAK;
    this.#sizeBytes = at;
  }

  /** The same line: what the body says of its texts is their JSON already. */
  #addRaw(event: RawEvent): void {
    const { bytes, uuidStart, propertiesStart, propertiesEnd } = event;
    this.#reserve(estimateBytes(event) * 6 + HEAD_MAX_BYTES);
    const buffer = this.#buffer;
    let at = this.#sizeBytes;
    at = putNumber(buffer, at, event.teamId);
    at = putNumber(buffer, at, event.flags);
    at = putNumber(buffer, at, event.timestampMs);
    at = putNumber(buffer, at, event.mergedAtMs);
    at = putNumber(buffer, at, event.mergeSequence);
    at = putBytes(buffer, at, bytes, uuidStart, uuidStart + UUID_BYTES);
    at = putBytes(buffer, at, bytes, event.distinctIdStart - 1, event.distinctIdEnd + 1);
    at = putBytes(buffer, at, bytes, event.nameStart - 1, event.nameEnd + 1);
    at = putText(buffer, at, event.elementsChain);
    at += bytes.copy(buffer, at, propertiesStart, propertiesEnd);
    const { added } = event;
    if (added !== "") {
      if (added !== this.#added) {
        this.#added = added;
        this.#addedBytes = Buffer.from(`${added}}`);
      }
      at = putBytes(buffer, at - 1, this.#addedBytes, 0, this.#addedBytes.length) - 1;
    }
    buffer[at++] = LINE_BREAK;
    this.#sizeBytes = at;
  }

  /** The payload, in memory of its own (the client does not copy what it sends). Begins anew. */
  finish(): Uint8Array {
    const payload = Bun.zstdCompressSync(this.#buffer.subarray(0, this.#sizeBytes), { level: 1 });
    this.#sizeBytes = 0;
    return payload;
  }

  #reserve(bytes: number): void {
    if (this.#sizeBytes + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#sizeBytes + bytes));
    this.#buffer.copy(grown, 0, 0, this.#sizeBytes);
    this.#buffer = grown;
  }
}

/** Bytes an event takes in a frame, near enough to decide when one is full. */
export function estimateBytes(event: OutgoingEvent): number {
  if (event instanceof RawEvent) return event.sizeBytes + LINE_BYTES;
  const { properties, added = "", elementsChain, distinctId, event: name } = event;
  const propertiesBytes = typeof properties === "string" ? properties.length : properties.end - properties.start;
  return propertiesBytes + added.length + elementsChain.length + distinctId.length + name.length + LINE_BYTES;
}

/*
 * Short texts are written here, unit by unit: a call of the buffer's own `write`, and the text that is put together for
 * it, cost twice as much. Each gives where to go on, behind a separator.
 */

function putNumber(buffer: Buffer, at: number, value: number): number {
  if (value >= 0 && value < 10) {
    buffer[at] = ZERO + value;
    buffer[at + 1] = UNIT_CODE;
    return at + 2;
  }
  return putPlain(buffer, at, String(value));
}

function putBytes(buffer: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  let to = at;
  for (let from = start; from < end; from++) buffer[to++] = bytes[from]!;
  buffer[to] = UNIT_CODE;
  return to + 1;
}

/** For text of ASCII. */
function putPlain(buffer: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) buffer[at + i] = text.charCodeAt(i);
  buffer[at + text.length] = UNIT_CODE;
  return at + text.length + 1;
}

/** As JSON. */
function putText(buffer: Buffer, start: number, text: string): number {
  let at = start;
  buffer[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) {
      at = start + buffer.write(JSON.stringify(text), start);
      buffer[at] = UNIT_CODE;
      return at + 1;
    }
    buffer[at++] = unit;
  }
  buffer[at] = QUOTE;
  buffer[at + 1] = UNIT_CODE;
  return at + 2;
}

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

/** The size that a zstd frame says it unpacks to (RFC 8878, 3.1.1.1); null for one that does not say it in four bytes or more than one. */
function unpackedBytes(payload: Uint8Array): number | null {
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
    if (code === UNIT_CODE) throw corrupt(`line ${index} has a number that is none`);
    for (; code !== UNIT_CODE; code = text.charCodeAt(++at)) {
      if (!(code >= ZERO && code <= NINE)) throw corrupt(`line ${index} has a number that is none`);
      number = number * 10 + (code - ZERO);
    }
    if (number > Number.MAX_SAFE_INTEGER) throw corrupt(`line ${index} has a number that is none`);
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

/** A JSON string; without escapes it is what stands between the quotes. */
function decodeText(json: string, index: number): string {
  if (!json.includes("\\") && json.length >= 2) return json.slice(1, -1);
  try {
    return String(JSON.parse(json));
  } catch {
    throw corrupt(`line ${index} has a text that is none`);
  }
}

function corrupt(detail: string): TerminalError {
  return new TerminalError("corrupt_frame", `The frame cannot be read: ${detail}`);
}
