import { keyTable, OPEN_ARRAY, PADDING_BYTES, scanMemory, scanners } from "../../json/mod.ts";
import { withoutBreaks } from "./blanks.ts";
import { EVENT, EVENT_KEY_NUMBERS, PROPERTY_KEY_NUMBERS } from "./keys.ts";
import { Ints, type Outline, skipBlanks } from "./outline.ts";

/** Bits of what `outline` gives. */
const HAS_LIST = 1;
const HAS_BREAKS = 2;
const HAS_ESCAPES = 4;
const HAS_ZEROS = 8;

/** The root's own members are few. */
const ROOT_BYTES = 65_536;
/** Of `names` in outline.as. */
const NAMES_BYTES = 1024 * 12;
/** Five times that is what the module can have; a larger body takes the slow way. */
const BODY_MAX_BYTES = 512 * 1024 * 1024;

const rootAt = scanMemory.allot(ROOT_BYTES);
scanners.configureOutline(
  keyTable(EVENT_KEY_NUMBERS),
  keyTable(PROPERTY_KEY_NUMBERS),
  EVENT.properties,
  EVENT.batch,
  scanMemory.allot(NAMES_BYTES),
);

/**
 * The outline of a body, and that it is JSON; about five times as fast as `outline` and `JSON.parse`. Null when it is
 * not certain: for what is no JSON, nests too deep, or is written in an unusual way (a property or the properties twice, escapes in
 * names).
 */
export function fastOutline(body: Buffer, maxDepth: number): Outline | null {
  const length = body.byteLength;
  if (length > BODY_MAX_BYTES) return null;
  // An item of a list takes two bytes at least, a member that is noted eight.
  const notesBytes = (2 * length + 1024) & ~15;
  scanMemory.put(body, 2 * notesBytes + 16);
  const { textAt, bytes } = scanMemory;
  const itemsAt = (textAt + length + PADDING_BYTES + 15) & ~15;
  const startsAt = itemsAt + notesBytes;
  const found = scanners.outline(
    textAt,
    length,
    maxDepth,
    rootAt,
    ROOT_BYTES,
    itemsAt,
    notesBytes,
    startsAt,
    notesBytes,
  );
  if (found < 0) return null;
  const itemCount = scanners.startBytes(startsAt) / 4 - 1;
  const items = copy(itemsAt, scanners.itemBytes(itemsAt));
  const changed = (found & HAS_ZEROS) === 0 ? body : Buffer.from(bytes.subarray(textAt, textAt + length));
  const isArray = body[skipBlanks(body, 0)] === OPEN_ARRAY;
  return {
    bytes: (found & HAS_BREAKS) === 0 ? changed : withoutBreaks(changed),
    hasEscapes: (found & HAS_ESCAPES) !== 0,
    rootIs: isArray ? "array" : "object",
    hasBatch: !isArray && (found & HAS_LIST) !== 0,
    itemCount,
    root: copy(rootAt, scanners.rootBytes(rootAt)),
    items,
    itemStarts: scanMemory.ints.slice(startsAt / 4, startsAt / 4 + itemCount + 1),
  };
}

/** Whether a text is JSON whose brackets nest no deeper than `maxDepth`. */
export function isJson(text: Buffer, maxDepth: number): boolean {
  scanMemory.put(text, 0);
  return scanners.isJson(scanMemory.textAt, text.byteLength, maxDepth) === 1;
}

function copy(at: number, sizeBytes: number): Ints {
  const ints = new Ints();
  ints.values = scanMemory.ints.slice(at / 4, (at + sizeBytes) / 4);
  ints.length = ints.values.length;
  return ints;
}
