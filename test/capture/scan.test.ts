import { expect, test } from "bun:test";
import fc from "fast-check";
import { members, outline } from "../../src/capture/scan.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";

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
const KEY = fc.oneof(TEXT, fc.constantFrom("properties", "propertie", "batch", "event", "__proto__"));

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

function expectSameProperties(text: string): void {
  const found = outline(text, 1000);
  const root = JSON.parse(text) as Json;
  let items: Json[];
  if (Array.isArray(root)) items = root;
  else if (isObject(root) && Array.isArray(root.batch)) items = root.batch;
  else {
    items = [root];
    found.useRoot();
  }
  items.forEach((item, index) => {
    if (!isObject(item)) return;
    if (isObject(item.properties)) expect(JSON.parse(found.properties(text, index))).toEqual(item.properties);
    const all = members(text, found.eventStart(index));
    expect([...all.keys()].sort()).toEqual(Object.keys(item).sort());
    for (const [key, raw] of all) {
      expect(JSON.parse(raw)).toEqual(Object.getOwnPropertyDescriptor(item, key)?.value);
    }
  });
}

test("the raw text of properties parses to what the whole document parses to", () => {
  fc.assert(
    fc.property(BLANKS, DOCUMENT, BLANKS, (a, text, b) => expectSameProperties(a + text + b)),
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
  fc.assert(fc.property(batch, expectSameProperties), { numRuns: 1000 });
});

test("of equal keys the last wins", () => {
  expectSameProperties('{"batch":[{"properties":{"a":1}}],"batch":[{"properties":{"b":1},"properties":{"c":2}}]}');
  expectSameProperties('{"properties":{"a":1},"\\u0070roperties":{"b":[{}]}}');
});

test("many events, some of them none", () => {
  const item = (i: number) => (i % 3 === 0 ? String(i) : `{"properties":{"i":${i}}}`);
  expectSameProperties(`[${Array.from({ length: 10_000 }, (_, i) => item(i)).join(",")}]`);
});

test("no text makes the scan fail or run wild", () => {
  fc.assert(
    fc.property(DOCUMENT, fc.nat(), fc.constantFrom("", ...TRICKY), (text, at, inserted) => {
      const cut = at % (text.length + 1);
      outline(text.slice(0, cut) + inserted, 1000);
      outline(text.slice(cut) + inserted, 1000);
    }),
    { numRuns: 1000 },
  );
});

test("nesting counts brackets of both kinds, and not those in strings", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}"[[[["${"]}".repeat(depth / 2)}`;
  expect(() => outline(nested(20), 20)).not.toThrow();
  expect(() => outline(nested(22), 20)).toThrow("deeper than 20");
});
