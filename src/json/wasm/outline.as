// Checks that bytes are JSON, notes where known members lie, and blanks what JSON does not need.

import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, find, findEscaped, pad, same, slotOf } from "./text";
import { begin, blanks, escaped, formOf, hasEscapes, isChanged, number, text, word } from "./scalars";

/** What an object or array is to us. */
const OTHER: i32 = 0, EVENT: i32 = 1, PROPERTIES: i32 = 2, LIST: i32 = 3, ROOT: i32 = 4;

let base: i32;
let maxDepth: i32, propertiesKey: i32, batchKey: i32, firstProperty: i32;
let eventTable: i32, propertyTable: i32;
/** Names of the properties that are read now: 1024 slots of [number of the object, start, length]. */
let names: i32;
/** For a name without its escapes. */
let plainName: i32;
let objectNumber: i32, nameCount: i32;
let root: i32, items: i32, itemsBase: i32, starts: i32, startsBase: i32;
let inList: bool, isBatch: bool, mayRepeat: bool, isTooDeep: bool;

/** Known names are in two tables; the numbers of properties begin at `numberOfFirst`. `namesAt`: 12 KB and 512 bytes. */
export function configureOutline(events: i32, properties: i32, keyOfProperties: i32, keyOfBatch: i32, numberOfFirst: i32, namesAt: i32): void {
  eventTable = events;
  propertyTable = properties;
  propertiesKey = keyOfProperties;
  batchKey = keyOfBatch;
  firstProperty = numberOfFirst;
  names = namesAt;
  plainName = namesAt + 1024 * 12;
}

/**
 * -1: the text is no JSON; -2: it nests too deep; else bits: 1 where the root is an array, 2 an object, and 4 where its `batch`
 * is a list; 8: blanks were put into the text; 16: a string has `\u`; 32: a name may stand twice in some properties.
 * The tapes of members have room for twice the text, that of starts too.
 */
export function outline(at: i32, length: i32, depthMax: i32, rootTape: i32, itemTape: i32, startTape: i32): i32 {
  pad(at + length);
  base = at;
  maxDepth = depthMax;
  root = rootTape;
  items = itemsBase = itemTape;
  starts = startsBase = startTape;
  inList = isBatch = mayRepeat = isTooDeep = false;
  begin();
  let p = blanks(at);
  const c = load<u8>(p);
  const bits = c == OPEN_ARRAY ? 1 : c == OPEN_OBJECT ? 2 : 0;
  p = value(p, 0, c == OPEN_ARRAY ? LIST : ROOT);
  if (p == 0 || blanks(p) != at + length) return isTooDeep ? -2 : -1;
  store<i32>(starts, (items - itemsBase) >> 2);
  starts += 4;
  return bits | (isBatch ? 4 : 0) | (isChanged ? 8 : 0) | (hasEscapes ? 16 : 0) | (mayRepeat ? 32 : 0);
}

export function rootBytes(tape: i32): i32 { return root - tape; }
export function itemBytes(tape: i32): i32 { return items - tape; }
export function startBytes(tape: i32): i32 { return starts - tape; }

// `value`, `object` and `array` take a position and give the one behind what they read; 0 when it is none of it.

function value(p: i32, depth: i32, kind: i32): i32 {
  const c = load<u8>(p);
  if (c == QUOTE) return text(p + 1);
  if (c == OPEN_OBJECT) return object(p, depth, kind);
  if (c == OPEN_ARRAY) return array(p, depth, kind);
  if (c == 0x74) return word(p, 0x65757274);
  if (c == 0x6e) return word(p, 0x6c6c756e);
  if (c == 0x66) return word(p + 1, 0x65736c61);
  return number(p);
}

/** Whether the properties have this name already, or so many that a search would be long. */
function repeats(at: i32, length: i32): bool {
  if (++nameCount > 512) return true;
  let slot = slotOf(at, length);
  for (let tries = 0; tries < 32; tries++) {
    const entry = names + slot * 12;
    if (load<i32>(entry) != objectNumber) {
      store<i32>(entry, objectNumber);
      store<i32>(entry + 4, at);
      store<i32>(entry + 8, length);
      return false;
    }
    if (load<i32>(entry + 8) == length && same(load<i32>(entry + 4), at, length)) return true;
    slot = (slot + 1) & 1023;
  }
  return true;
}

/** Of two `properties` in one event the last counts: the members of the first, noted between the two, are forgotten. */
function forgetProperties(from: i32, to: i32): void {
  for (let entry = from; entry < to; entry += 16) if ((load<i32>(entry) & 0xff) >= firstProperty) store<i32>(entry, -1);
}

function tooDeep(): i32 {
  isTooDeep = true;
  return 0;
}

function object(at: i32, depth: i32, kind: i32): i32 {
  if (depth >= maxDepth) return tooDeep();
  let p = blanks(at + 1);
  if (load<u8>(p) == CLOSE_OBJECT) return p + 1;
  let properties = 0;
  if (kind == PROPERTIES) {
    objectNumber++;
    nameCount = 0;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const keyStart = p;
    p = text(p + 1);
    if (p == 0) return 0;
    let key = -1;
    if (kind != OTHER) {
      const table = kind == PROPERTIES ? propertyTable : eventTable;
      const length = p - keyStart - 2;
      if (kind == PROPERTIES && (escaped || repeats(keyStart + 1, length))) mayRepeat = true;
      key = escaped ? findEscaped(table, keyStart + 1, length, plainName) : find(table, keyStart + 1, length);
    }
    p = blanks(p);
    if (load<u8>(p) != COLON) return 0;
    p = blanks(p + 1);
    if (key < 0) p = value(p, depth + 1, OTHER);
    else {
      const entry = inList ? items : root;
      if (inList) items += 16; else root += 16;
      let inner = OTHER;
      if (kind != PROPERTIES) {
        if (key == propertiesKey) {
          if (properties != 0) forgetProperties(properties, entry);
          properties = entry;
          if (load<u8>(p) == OPEN_OBJECT) inner = PROPERTIES;
        } else if (key == batchKey && kind == ROOT) {
          // Of two the last counts.
          items = itemsBase;
          starts = startsBase;
          isBatch = load<u8>(p) == OPEN_ARRAY;
          if (isBatch) inner = LIST;
        }
      }
      const valueStart = p;
      store<i32>(entry + 4, keyStart - base);
      store<i32>(entry + 8, p - base);
      p = value(p, depth + 1, inner);
      store<i32>(entry, load<u8>(valueStart) == QUOTE ? key | formOf(valueStart, p) : key);
      store<i32>(entry + 12, p - base);
    }
    if (p == 0) return 0;
    p = blanks(p);
    const c = load<u8>(p);
    if (c == CLOSE_OBJECT) return p + 1;
    if (c != COMMA) return 0;
    p = blanks(p + 1);
  }
}

function array(at: i32, depth: i32, kind: i32): i32 {
  if (depth >= maxDepth) return tooDeep();
  const isList = kind == LIST;
  if (isList) inList = true;
  let p = blanks(at + 1);
  if (load<u8>(p) == CLOSE_ARRAY) { inList = inList && !isList; return p + 1; }
  while (true) {
    let inner = OTHER;
    if (isList) {
      const isObject = load<u8>(p) == OPEN_OBJECT;
      if (isObject) inner = EVENT;
      store<i32>(starts, isObject ? (items - itemsBase) >> 2 : -1);
      starts += 4;
    }
    p = value(p, depth + 1, inner);
    if (p == 0) return 0;
    p = blanks(p);
    const c = load<u8>(p);
    if (c == CLOSE_ARRAY) { inList = inList && !isList; return p + 1; }
    if (c != COMMA) return 0;
    p = blanks(p + 1);
  }
}
