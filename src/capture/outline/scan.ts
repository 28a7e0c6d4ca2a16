import { keyTable, PADDING_BYTES, scanMemory, scanners } from "../../json/mod.ts";
import { tooLarge } from "../body/body.ts";
import { EVENT, EVENT_KEY_NUMBERS, FIRST_PROPERTY, PROPERTY_KEY_NUMBERS } from "./keys.ts";
import type { Outline } from "./outline.ts";

/** What `scanners.outline` gives instead of bits. */
const TOO_DEEP = -2;
/** Bits of what it gives. */
const IS_ARRAY = 1;
const IS_OBJECT = 2;
const HAS_LIST = 4;
const IS_CHANGED = 8;
const HAS_ESCAPES = 16;
const MAY_REPEAT = 32;

/** Of `names` and `plainName` in outline.as. */
const NAMES_BYTES = 1024 * 12 + 512;
/** Seven times that is what the scanner can have. */
const BODY_MAX_BYTES = 256 * 1024 * 1024;

scanners.configureOutline(
  keyTable(EVENT_KEY_NUMBERS),
  keyTable(PROPERTY_KEY_NUMBERS),
  EVENT.properties,
  EVENT.batch,
  FIRST_PROPERTY,
  scanMemory.allot(NAMES_BYTES),
);

/**
 * The outline of a body in UTF-8 (2 GB/s); or why there is none: "invalid" where the body is not JSON, "too_deep" where brackets
 * nest deeper than `maxDepth`. Throws TerminalError `payload_too_large`.
 */
export function scanOutline(body: Buffer, maxDepth: number): Outline | "invalid" | "too_deep" {
  const length = body.byteLength;
  if (length > BODY_MAX_BYTES) throw tooLarge(BODY_MAX_BYTES);
  // An item of a list takes two bytes at least and its note four; a member that is noted eight, and sixteen.
  const tapeBytes = (2 * length + 1024) & ~15;
  scanMemory.put(body, 3 * tapeBytes + 16);
  const { textAt, bytes, ints } = scanMemory;
  const rootAt = (textAt + length + PADDING_BYTES + 15) & ~15;
  const itemsAt = rootAt + tapeBytes;
  const startsAt = itemsAt + tapeBytes;
  const found = scanners.outline(textAt, length, maxDepth, rootAt, itemsAt, startsAt);
  if (found < 0) return found === TOO_DEEP ? "too_deep" : "invalid";
  const copy = (at: number, sizeBytes: number) => ints.slice(at / 4, (at + sizeBytes) / 4);
  const itemStarts = copy(startsAt, scanners.startBytes(startsAt));
  return {
    bytes: (found & IS_CHANGED) === 0 ? body : Buffer.from(bytes.subarray(textAt, textAt + length)),
    hasEscapes: (found & HAS_ESCAPES) !== 0,
    mayRepeat: (found & MAY_REPEAT) !== 0,
    rootIs: (found & IS_ARRAY) !== 0 ? "array" : (found & IS_OBJECT) !== 0 ? "object" : "other",
    hasBatch: (found & IS_OBJECT) !== 0 && (found & HAS_LIST) !== 0,
    itemCount: itemStarts.length - 1,
    root: copy(rootAt, scanners.rootBytes(rootAt)),
    items: copy(itemsAt, scanners.itemBytes(itemsAt)),
    itemStarts,
  };
}
