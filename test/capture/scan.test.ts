import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fastOutline } from "../../src/capture/fastScan.ts";
import { EVENT, KEY_COUNT, PROPERTY } from "../../src/capture/keys.ts";
import { normaliseEvent } from "../../src/capture/normalise.ts";
import { ENTRY, KEY_BITS, Members, type Outline } from "../../src/capture/outline.ts";
import { members, outline } from "../../src/capture/scan.ts";
import { cleanJson } from "../../src/capture/text.ts";
import type { Json, JsonObject, OutgoingEvent } from "../../src/types/mod.ts";
import { contextOf, written } from "./support.ts";

const BLANKS = fc.array(fc.constantFrom(" ", "\n", "\t", "\r"), { maxLength: 3 }).map((all) => all.join(""));
const TRICKY = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  'a"',
  '\\"',
  "properties",
  "batch",
  '"properties":{',
  "é",
  "😀",
];
const TEXT = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...TRICKY));
const KEYS = ["properties", "propertie", "batch", "event", "__proto__", "$set", "distinct_id", "$browser", "token"];
const KEY = fc.oneof(TEXT, fc.constantFrom(...KEYS));

/** One way to write a string: each character as it is, or as one of its escapes. */
function writtenString(text: string): fc.Arbitrary<string> {
  const units = Array.from({ length: text.length }, (_, i) => text[i]!);
  return fc.infiniteStream(fc.nat(5)).map((choices) => {
    const written = units.map((unit) => {
      const mustEscape = unit < " " || unit === '"' || unit === "\\" || /[\ud800-\udfff]/.test(unit);
      if (!mustEscape && choices.next().value !== 0) return unit;
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
    return `"${written.join("")}"`;
  });
}

/** JSON text with random blanks and escapes; objects may hold a key twice. */
const { document: DOCUMENT, object: OBJECT } = fc.letrec<{ document: string; object: string; list: string }>((tie) => ({
  document: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("null", "true", "false", "0", "-1.50", "1e2", "12345678901234567890", '""', "{}", "[]"),
    TEXT.chain(writtenString),
    tie("object"),
    tie("list"),
  ),
  list: fc.tuple(fc.array(tie("document"), { maxLength: 4 }), BLANKS, BLANKS).map(bracket("[", "]")),
  object: fc
    .tuple(
      fc.array(
        fc
          .tuple(KEY.chain(writtenString), BLANKS, BLANKS, tie("document"))
          .map(([key, before, after, value]) => `${key}${before}:${after}${value}`),
        { maxLength: 5 },
      ),
      BLANKS,
      BLANKS,
    )
    .map(bracket("{", "}")),
}));

function bracket(open: string, close: string) {
  return ([parts, before, after]: [string[], string, string]) =>
    `${open}${before}${parts.join(`${after},${before}`)}${after}${close}`;
}

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
    const all = members(found.raw(EVENT.properties));
    expect([...all.keys()].sort()).toEqual(Object.keys(properties).sort());
    for (const [key, raw] of all) {
      expect(JSON.parse(raw)).toEqual(Object.getOwnPropertyDescriptor(properties, key)?.value);
    }
  }
}

/** Entries without what the fast scan knows of texts. */
function numbersOf({ values, length }: Outline["items"]): number[] {
  return Array.from(values.subarray(0, length), (value, i) =>
    i % ENTRY === 0 && value >= 0 ? value & KEY_BITS : value,
  );
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
function expectFastSame(text: string): boolean {
  const fast = fastOutline(Buffer.from(text), 1000);
  if (fast === null) return false;
  JSON.parse(text);
  const slow = outline(Buffer.from(text), 1000);
  const cut = (body: Outline) => ({
    ...body,
    hasEscapes: null,
    root: numbersOf(body.root),
    items: numbersOf(body.items),
    itemStarts: [...body.itemStarts.subarray(0, body.itemCount + 1)],
  });
  expect(cut(fast)).toEqual(cut(slow));
  for (let i = 0; i < fast.itemCount; i++) expectTrueForms(fast, i);
  // An escaped backslash before a `u` is none to the scanner.
  if (!fast.hasEscapes) expect(cleanJson(text)).toBe(text);
  return true;
}

function expectSame(text: string): void {
  if (text.isWellFormed()) expectFastSame(text);
  const body = outline(Buffer.from(text), 1000);
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

test("the raw text of properties parses to what the whole document parses to", () => {
  fc.assert(
    fc.property(BLANKS, DOCUMENT, BLANKS, (a, text, b) => expectSame(a + text + b)),
    { numRuns: 1000 },
  );
});

test("the same for batches of events", () => {
  const key = (name: string) => fc.tuple(writtenString(name), BLANKS, BLANKS).map(([k, a, b]) => `${k}${a}:${b}`);
  const event = fc
    .tuple(OBJECT, key("properties"), OBJECT, BLANKS)
    .map(([own, name, properties, blank]) =>
      own.replace(/\}$/, `${/\{\s*\}$/.test(own) ? "" : ","}${name}${properties}${blank}}`),
    );
  const batch = fc
    .tuple(key("batch"), fc.array(fc.oneof(event, DOCUMENT), { maxLength: 6 }), BLANKS, OBJECT)
    .map(
      ([name, events, blank, other]) =>
        `{"a":${other},${name}[${blank}${events.join(`${blank},`)}],"properties":${other}}`,
    );
  fc.assert(fc.property(batch, expectSame), { numRuns: 1000 });
});

test("of equal keys the last wins", () => {
  expectSame('{"batch":[{"properties":{"a":1}}],"batch":[{"properties":{"b":1},"properties":{"c":2}}]}');
  expectSame('{"batch":[{"$set":1}],"batch":7}');
  expectSame('{"batch":7,"batch":[1,{"$set":1,"$set":{}}]}');
  expectSame('{"properties":{"token":1},"properties":null}');
  expectSame('[{"properties":{"token":1,"$ip":1}, "properties":{"token":2}},{}]');
  expectSame('{"properties":{"a":1},"\\u0070roperties":{"b":[{}]}}');
});

test("many events, some of them none", () => {
  const item = (i: number) => (i % 3 === 0 ? String(i) : `{"properties":{"i":${i}}}`);
  expectSame(`[${Array.from({ length: 10_000 }, (_, i) => item(i)).join(",")}]`);
});

test("no text makes the scan fail or run wild", () => {
  fc.assert(
    fc.property(DOCUMENT, fc.nat(), fc.constantFrom("", ...TRICKY), (text, at, inserted) => {
      const cut = at % (text.length + 1);
      outline(Buffer.from(text.slice(0, cut) + inserted), 1000);
      outline(Buffer.from(text.slice(cut) + inserted), 1000);
    }),
    { numRuns: 1000 },
  );
});

test("nesting counts brackets of both kinds, and not those in strings", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}"[[[["${"]}".repeat(depth / 2)}`;
  expect(() => outline(Buffer.from(nested(20)), 20)).not.toThrow();
  expect(() => outline(Buffer.from(nested(22)), 20)).toThrow("deeper than 20");
});

describe("the scanner", () => {
  const event = (i: number) =>
    `{"event":"é😀","distinct_id":"${i}","properties":{"$browser": "a\\n€","utm_source":[{"$ip":1}],"$ip":-1.5e+3 , "x":[]}}`;
  test("takes what SDKs send", () => {
    for (const text of [
      "[]",
      " { } ",
      event(1),
      `[${event(1)},7,null,true,[],{},"",${event(2)}]`,
      `{"api_key":"x","batch":[${Array.from({ length: 500 }, (_, i) => event(i)).join(",\n")}],"sent_at":false}`,
    ]) {
      expect([text, expectFastSame(text)]).toEqual([text, true]);
    }
  });

  test("never takes what is no JSON, and finds the same in what it takes", () => {
    const noise = fc.constantFrom(
      "",
      ...TRICKY,
      "0",
      "-",
      ".",
      "e",
      "\\u",
      "\\x",
      "\n",
      "\0",
      "\u001f",
      "tru",
      "null",
      "\ufeff",
    );
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(DOCUMENT, fc.constant(`[${event(0)},1]`)),
        fc.nat(),
        fc.nat(3),
        noise,
        (text, at, cut, inserted) => {
          const place = at % (text.length + 1);
          const mutated = text.slice(0, place) + inserted + text.slice(place + cut);
          // Throws when it is no JSON.
          if (mutated.isWellFormed() && expectFastSame(mutated)) taken++;
        },
      ),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test("takes numbers, words and escapes as JSON has them", () => {
    const piece = fc.constantFrom(
      "0",
      "1",
      "-",
      "+",
      ".",
      "e",
      "E",
      "true",
      "false",
      "null",
      " ",
      "\t",
      "nul",
      '"',
      "\\",
      "u00e",
      "/",
      "b",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expectFastSame(`[${pieces.join("")}]`);
        expectFastSame(`["${pieces.join("")}"]`);
      }),
      { numRuns: 5000 },
    );
    for (const value of [
      "0",
      "-0",
      "10",
      "-1.50",
      "1e5",
      "1E-05",
      "0.1e+2",
      "true",
      "false",
      "null",
      '"\\u00eF\\/\\b"',
    ]) {
      expect([value, expectFastSame(`[${value}]`)]).toEqual([value, true]);
    }
  });

  test("makes no other event of a body than the slow way", () => {
    const keys = fc.constantFrom("$ip", "$set", "$set_once", "$session_id", "$elements", "$sent_at", "token", "other");
    const values = fc.constantFrom(
      '"a"',
      "1.10",
      "null",
      '[ "$b",\n"$c" ]',
      '{"$os" : 1}',
      '"x,"',
      '"\\\\"',
      '"é"',
      '",\\"$os\\":1"',
    );
    const pairs = fc.array(fc.tuple(keys, values, BLANKS), { maxLength: 8 });
    const events = fc.array(
      pairs.map((all) => all.map(([k, v, blank]) => `"${k}"${blank}:${v}`).join(",")),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(events, (all) => {
        const text = `[${all.map((properties) => `{"event":"e","distinct_id":"d","properties":{${properties}}}`).join(",")}]`;
        const fast = fastOutline(Buffer.from(text), 200);
        if (fast === null) return;
        const accepted = [fast, outline(Buffer.from(text), 200)].map((body) => {
          const event = new Members();
          return all.map((_, i) => {
            event.toItem(body, i);
            const { properties } = written([normaliseEvent(event, contextOf()) as OutgoingEvent])[0]!;
            expect(properties).not.toMatch(/[\n\r\t]/);
            return JSON.parse(properties) as JsonObject;
          });
        });
        expect(accepted[0]).toEqual(accepted[1]!);
      }),
      { numRuns: 2000 },
    );
  });

  test("knows plain texts and uuids", () => {
    const uuid = fc.uuid().chain((text) =>
      fc
        .tuple(fc.nat(36), fc.constantFrom("", "-", "g", "A", "0", "f", "é", "\\\\", "/", ":", "`"))
        .map(([at, other]) => {
          return other === "" ? text : text.slice(0, at) + other + text.slice(at + 1);
        }),
    );
    fc.assert(
      fc.property(uuid, TEXT.chain(writtenString), (id, text) => {
        expectFastSame(`[{"uuid":"${id}","event":${text},"properties":{"$session_id" :"${id}","alias":${text}}}]`);
      }),
      { numRuns: 2000 },
    );
  });

  test("leaves deep nesting to the slow way", () => {
    const nested = (depth: number) => Buffer.from("[".repeat(depth) + "]".repeat(depth));
    expect(fastOutline(nested(200), 200)).not.toBeNull();
    expect(fastOutline(nested(201), 200)).toBeNull();
    expect(fastOutline(nested(1_000_000), 200)).toBeNull();
  });
});
