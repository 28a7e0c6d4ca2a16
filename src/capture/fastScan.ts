import { readFileSync } from "node:fs";
import { GrowingMemory, PAGE_BYTES } from "../wasm/growingMemory.ts";
import { writeKeyTable } from "../wasm/keyTable.ts";
import { withoutBreaks } from "./blanks.ts";
import { EVENT, EVENT_KEY_NUMBERS, PROPERTY_KEY_NUMBERS } from "./keys.ts";
import { Ints, OPEN_ARRAY, type Outline, skipBlanks } from "./outline.ts";

/** Source: wasm/scanner.as, built by scripts/build-wasm. */
const MODULE = new WebAssembly.Module(readFileSync(new URL("./wasm/scanner.wasm", import.meta.url)));

interface Scanner {
  memory: WebAssembly.Memory;
  configure(events: number, properties: number, keyOfProperties: number, keyOfBatch: number, namesAt: number): void;
  scan(...o: number[]): number;
  isJson(at: number, length: number, depthMax: number): number;
  rootBytes(tape: number): number;
  itemBytes(tape: number): number;
  startBytes(tape: number): number;
}

/** Bits of what `scan` gives. */
const HAS_LIST = 1;
const HAS_BREAKS = 2;
const HAS_ESCAPES = 4;
const HAS_ZEROS = 8;

const TABLES_AT = 4096;
const ROOT_AT = 2 * PAGE_BYTES;
const ROOT_BYTES = PAGE_BYTES;
const TEXT_AT = ROOT_AT + ROOT_BYTES;
/** Of `names` in scanner.as. */
const NAMES_BYTES = 1024 * 12;
const PADDING_BYTES = 64;
/** Five times that is what the module can have; a larger body takes the slow way. */
const BODY_MAX_BYTES = 512 * 1024 * 1024;

const scanner = new WebAssembly.Instance(MODULE, {
  env: { abort: () => {} },
}).exports as unknown as Scanner;
const memory = new GrowingMemory(scanner.memory);
memory.reserve(TEXT_AT);
const afterEvents = writeKeyTable(memory.bytes, TABLES_AT, EVENT_KEY_NUMBERS);
const namesAt = writeKeyTable(memory.bytes, afterEvents, PROPERTY_KEY_NUMBERS);
if (namesAt + NAMES_BYTES > ROOT_AT) throw new Error("the tables of names do not fit");
scanner.configure(TABLES_AT, afterEvents, EVENT.properties, EVENT.batch, namesAt);

/**
 * The outline of a body, and that it is JSON; about five times as fast as `outline` and `JSON.parse`. Null when it is
 * not certain: for what is no JSON, nests too deep, or is written in an unusual way (a property or the properties twice, escapes in
 * names).
 */
export function fastOutline(body: Buffer, maxDepth: number): Outline | null {
  const length = body.byteLength;
  if (length > BODY_MAX_BYTES) return null;
  const itemsAt = (TEXT_AT + length + PADDING_BYTES + 15) & ~15;
  // An item of a list takes two bytes at least, a member that is noted eight.
  const itemsBytes = (2 * length + 1024) & ~15;
  const startsAt = itemsAt + itemsBytes;
  const startsBytes = (2 * length + 1024) & ~15;
  memory.reserve(startsAt + startsBytes);
  const bytes = load(body);
  const out = [ROOT_AT, ROOT_BYTES, itemsAt, itemsBytes, startsAt, startsBytes];
  const found = scanner.scan(TEXT_AT, length, maxDepth, ...out);
  if (found < 0) return null;
  const itemCount = scanner.startBytes(startsAt) / 4 - 1;
  const items = copy(itemsAt, scanner.itemBytes(itemsAt));
  const changed = (found & HAS_ZEROS) === 0 ? body : Buffer.from(bytes.subarray(TEXT_AT, TEXT_AT + length));
  const isArray = body[skipBlanks(body, 0)] === OPEN_ARRAY;
  return {
    bytes: (found & HAS_BREAKS) === 0 ? changed : withoutBreaks(changed),
    hasEscapes: (found & HAS_ESCAPES) !== 0,
    rootIs: isArray ? "array" : "object",
    hasBatch: !isArray && (found & HAS_LIST) !== 0,
    itemCount,
    root: copy(ROOT_AT, scanner.rootBytes(ROOT_AT)),
    items,
    itemStarts: memory.ints.slice(startsAt / 4, startsAt / 4 + itemCount + 1),
  };
}

/** Whether a text is JSON whose brackets nest no deeper than `maxDepth`. */
export function isJson(text: Buffer, maxDepth: number): boolean {
  memory.reserve(TEXT_AT + text.byteLength + PADDING_BYTES);
  load(text);
  return scanner.isJson(TEXT_AT, text.byteLength, maxDepth) === 1;
}

function load(text: Buffer): Buffer {
  const { bytes } = memory;
  bytes.set(text, TEXT_AT);
  bytes.fill(0, TEXT_AT + text.byteLength, TEXT_AT + text.byteLength + PADDING_BYTES);
  return bytes;
}

function copy(at: number, sizeBytes: number): Ints {
  const ints = new Ints();
  ints.values = memory.ints.slice(at / 4, (at + sizeBytes) / 4);
  ints.length = ints.values.length;
  return ints;
}
