import { expect } from "bun:test";
import { EVENT, KEY_COUNT, PROPERTY } from "../../src/capture/outline/keys.ts";
import { ENTRY, KEY_BITS, Members, type Outline } from "../../src/capture/outline/outline.ts";
import { scanOutline } from "../../src/capture/outline/scan.ts";
import { cleanJson, membersOf } from "../../src/json/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { outline } from "./slowOutline.ts";

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const EVENT_KEYS = Object.entries(EVENT);
const PROPERTY_KEYS = Object.entries(PROPERTY);

/** The last value of each key as the scan found it against what `JSON.parse` says. */
function expectSameMembers(found: Members, item: JsonObject): void {
  const same = (object: JsonObject, keys: [string, number][]) => {
    for (const [name, key] of keys) {
      const value = Object.getOwnPropertyDescriptor(object, name)?.value as Json | undefined;
      expect([name, found.has(key)]).toEqual([name, value !== undefined]);
      if (value !== undefined) expect(JSON.parse(found.raw(key))).toEqual(value);
      expect([name, found.string(key)]).toEqual([name, typeof value === "string" ? value : null]);
    }
  };
  same(item, EVENT_KEYS);
  const { properties } = item;
  same(isObject(properties) ? properties : {}, PROPERTY_KEYS);
  if (isObject(properties)) {
    const all = membersOf(found.raw(EVENT.properties));
    expect([...all.keys()].sort()).toEqual(Object.keys(properties).sort());
    for (const [key, raw] of all) {
      expect(JSON.parse(raw)).toEqual(Object.getOwnPropertyDescriptor(properties, key)?.value);
    }
  }
}

/** Entries without what the scan knows of texts. */
function numbersOf(values: Int32Array): number[] {
  return Array.from(values, (value, i) => (i % ENTRY === 0 && value >= 0 ? value & KEY_BITS : value));
}

const CANONICAL_UUID = /^"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"$/;

function expectTrueForms(body: Outline, index: number): void {
  const found = new Members();
  if (!found.toItem(body, index)) return;
  for (let key = 0; key < KEY_COUNT; key++) {
    const raw = found.raw(key);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
    expect([raw, found.isPlain(key)]).toEqual([raw, /^"[\x00-\x7f]*"$/.test(raw) && !raw.includes("\\")]);
    expect([raw, found.isUuid(key)]).toEqual([raw, CANONICAL_UUID.test(raw)]);
  }
}

/** Whether the scanner took it; what it finds must be what the slow way finds. */
export function expectSlowSame(text: string): boolean {
  const found = scanOutline(Buffer.from(text), 1000);
  if (typeof found === "string") return false;
  JSON.parse(text);
  const slow = outline(Buffer.from(text), 1000);
  const cut = (body: Outline) => ({
    ...body,
    hasEscapes: null,
    mayRepeat: null,
    root: numbersOf(body.root),
    items: numbersOf(body.items),
    itemStarts: [...body.itemStarts.subarray(0, body.itemCount + 1)],
  });
  expect(cut(found)).toEqual(cut(slow));
  for (let i = 0; i < found.itemCount; i++) expectTrueForms(found, i);
  // An escaped backslash before a `u` is none to the scanner.
  if (!found.hasEscapes) expect(cleanJson(text)).toBe(text);
  return true;
}

/** What the scan finds in a document is what `JSON.parse` finds. */
export function expectSame(text: string): void {
  if (text.isWellFormed()) expectSlowSame(text);
  const body = scanOutline(Buffer.from(text), 1000);
  if (typeof body === "string") throw new Error(`${body}: ${text}`);
  const root = JSON.parse(text) as Json;
  const found = new Members();
  let items: Json[] = [];
  if (Array.isArray(root)) items = root;
  else if (isObject(root)) {
    found.toRoot(body);
    expectSameMembers(found, root);
    if (Array.isArray(root.batch)) items = root.batch;
  }
  expect(body.rootIs).toBe(Array.isArray(root) ? "array" : isObject(root) ? "object" : "other");
  expect(body.hasBatch).toBe(isObject(root) && Array.isArray(root.batch));
  expect(body.itemCount).toBe(items.length);
  items.forEach((item, index) => {
    expect(found.toItem(body, index)).toBe(isObject(item));
    if (isObject(item)) expectSameMembers(found, item);
  });
}
