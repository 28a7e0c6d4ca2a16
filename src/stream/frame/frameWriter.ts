import { EventFlag, type OutgoingEvent, RawEvent, UUID_BYTES } from "../../types/mod.ts";
import { UNIT_CODE, ZERO } from "./codec.ts";

const LINE_BREAK = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_OBJECT = 0x7d;
/** Bytes of a line besides its texts, about. */
const LINE_BYTES = 73;
/** The uuid, numbers and separators of a line, and the quotes of its texts. */
const HEAD_MAX_BYTES = 256;

/**
 * Collects lines, as codec.ts has them, and packs them. One serves all partitions of a publisher: a frame is built in one
 * go.
 */
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

  /** `mayBeStoredTwice`: the frame may be. Then even a uuid that the server made can have copies. */
  add(event: OutgoingEvent, mayBeStoredTwice = false): void {
    const flags = mayBeStoredTwice ? event.flags & ~EventFlag.ServerUuid : event.flags;
    if (event instanceof RawEvent) this.#addRaw(event, flags);
    else this.#addMade(event, flags);
  }

  #addMade(event: OutgoingEvent, flags: number): void {
    const { distinctId, event: name, elementsChain, properties, added = "" } = event;
    this.#reserve(estimateBytes(event) * 6 + HEAD_MAX_BYTES); // a unit may become `\u001f`
    const buffer = this.#buffer;
    let at = this.#putNumbers(event, flags);
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
  #addRaw(event: RawEvent, flags: number): void {
    const { bytes, uuidStart, propertiesStart, propertiesEnd } = event;
    this.#reserve(estimateBytes(event) * 3 + HEAD_MAX_BYTES); // a unit of what is added may become three bytes
    const buffer = this.#buffer;
    let at = this.#putNumbers(event, flags);
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

  /** The first fields of a line; gives where to go on. */
  #putNumbers({ teamId, timestampMs, mergedAtMs, mergeSequence }: OutgoingEvent, flags: number): number {
    const buffer = this.#buffer;
    let at = this.#sizeBytes;
    at = putNumber(buffer, at, teamId);
    at = putNumber(buffer, at, flags);
    at = putNumber(buffer, at, timestampMs);
    at = putNumber(buffer, at, mergedAtMs);
    return putNumber(buffer, at, mergeSequence);
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
