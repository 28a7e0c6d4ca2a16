import { scanMemory } from "./memory.ts";

const SLOTS = 1024;

/** More would make searches long. */
const KEY_TABLE_MAX_KEYS = 512;

const UTF8 = new TextEncoder();

/** Makes a table of names as wasm/text.as reads it, for good; gives its address. No name may be empty. */
export function keyTable(numbers: ReadonlyMap<string, number>): number {
  const at = scanMemory.allot(keyTableBytes(numbers.keys()));
  writeKeyTable(at, numbers);
  return at;
}

/** Writes one where zeros are; gives the first free address behind it. */
export function writeKeyTable(at: number, numbers: ReadonlyMap<string, number>): number {
  if (numbers.size > KEY_TABLE_MAX_KEYS) throw new Error(`${numbers.size} names do not fit into a table`);
  const { bytes } = scanMemory;
  let free = at + SLOTS * 4;
  for (const [name, number] of numbers) {
    const text = UTF8.encode(name);
    let slot = hashOf(text) >>> 22;
    while (bytes.readInt32LE(at + slot * 4) !== 0) slot = (slot + 1) % SLOTS;
    bytes.writeInt32LE(free, at + slot * 4);
    bytes.writeInt32LE(text.length, free);
    bytes.writeInt32LE(number, free + 4);
    bytes.set(text, free + 8);
    free += (8 + text.length + 7) & ~7;
  }
  return free;
}

/** Bytes that a table of these names takes at most. */
export function keyTableBytes(names: Iterable<string>): number {
  let sizeBytes = SLOTS * 4 + 16;
  for (const name of names) sizeBytes += name.length * 3 + 16;
  return sizeBytes;
}

function hashOf(text: Uint8Array): number {
  const { length } = text;
  const second = text[1] ?? '"'.charCodeAt(0);
  return (
    Math.imul(length, 0x9e3779b1) ^
    Math.imul(second, 0x85ebca6b) ^
    Math.imul(text[length - 1]!, 0xc2b2ae35) ^
    Math.imul(text[length >> 1]!, 0x27d4eb2f)
  );
}
