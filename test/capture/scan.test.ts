import { expect, test } from "bun:test";
import fc from "fast-check";
import { EVENT, PROPERTY } from "../../src/capture/outline/keys.ts";
import { Members } from "../../src/capture/outline/outline.ts";
import { scanOutline } from "../../src/capture/outline/scan.ts";
import { BLANKS, DOCUMENT, OBJECT, TRICKY, writtenString } from "./documents.ts";
import { expectSame } from "./sameOutline.ts";

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

test("an event with its properties a hundred thousand times", () => {
  const properties = (i: number) => `"properties":{"token":${i},"$ip":${i}}`;
  const event = `{${Array.from({ length: 100_000 }, (_, i) => properties(i)).join(",")}}`;
  const body = scanOutline(Buffer.from(`[${event}]`), 200);
  if (typeof body === "string") throw new Error(body);
  const found = new Members();
  found.toItem(body, 0);
  expect([found.raw(EVENT.properties), found.raw(PROPERTY.$ip)]).toEqual(['{"token":99999,"$ip":99999}', "99999"]);
});

test("many events, some of them none", () => {
  const item = (i: number) => (i % 3 === 0 ? String(i) : `{"properties":{"i":${i}}}`);
  expectSame(`[${Array.from({ length: 10_000 }, (_, i) => item(i)).join(",")}]`);
});

test("no text makes the scan fail or run wild", () => {
  fc.assert(
    fc.property(DOCUMENT, fc.nat(), fc.constantFrom("", ...TRICKY), (text, at, inserted) => {
      const cut = at % (text.length + 1);
      scanOutline(Buffer.from(text.slice(0, cut) + inserted), 1000);
      scanOutline(Buffer.from(text.slice(cut) + inserted), 1000);
    }),
    { numRuns: 1000 },
  );
});

test("nesting counts brackets of both kinds, and not those in strings", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}"[[[["${"]}".repeat(depth / 2)}`;
  expect(scanOutline(Buffer.from(nested(20)), 20)).toBeObject();
  expect(scanOutline(Buffer.from(nested(22)), 20)).toBe("too_deep");
});
