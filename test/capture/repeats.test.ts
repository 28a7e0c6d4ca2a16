import { expect, test } from "bun:test";
import fc from "fast-check";
import { EVENT } from "../../src/capture/outline/keys.ts";
import { Members } from "../../src/capture/outline/outline.ts";
import { scanOutline } from "../../src/capture/outline/scan.ts";
import { parsePayload } from "../../src/capture/payload/payload.ts";
import { eachMember, keyText } from "../../src/json/mod.ts";

const TOKEN = "phc_repeats";
/** As they may be written: some are the same name. */
const name = fc.constantFrom(
  '"x"',
  '"\\u0078"',
  '"$ip"',
  '"$session_id"',
  '"token"',
  '""',
  '"__proto__"',
  '"é"',
  '"xy"',
);
const value = fc.constantFrom("1", "1.10", '"a,\\"x\\":2"', "null", '{"x":1,"x":2}', '["x"]', '{"properties":{}}');
const blank = fc.constantFrom("", " ", "\n");
const properties = fc
  .array(fc.tuple(name, blank, value, blank), { maxLength: 6 })
  .map((all) => `{${all.map(([key, before, one, after]) => `${before}${key}${before}:${one}${after}`).join(",")}}`);
const event = properties.map((text) => `{"event":"e","distinct_id":"d","api_key":"${TOKEN}","properties":${text}}`);
const body = fc.oneof(
  event,
  fc.array(event, { minLength: 1, maxLength: 4 }).map((all) => `[${all.join(",")}]`),
  fc.array(event, { minLength: 1, maxLength: 4 }).map((all) => `{"api_key":"${TOKEN}","batch":[${all.join(",")}]}`),
);

function namesIn(text: string): string[] {
  const names: string[] = [];
  eachMember(text, (start, end) => names.push(keyText(text, start, end)));
  return names;
}

function eventsOf(root: unknown): { properties: unknown }[] {
  if (Array.isArray(root)) return root;
  return (root as { batch?: [] }).batch ?? [root as { properties: unknown }];
}

function expectOnce(text: string): void {
  const { outline, isSingle } = parsePayload(Buffer.from(text), 200);
  const event = new Members();
  for (const [i, { properties }] of eventsOf(JSON.parse(text)).entries()) {
    if (isSingle) event.toRoot(outline);
    else event.toItem(outline, i);
    const found = event.raw(EVENT.properties);
    expect(JSON.parse(found)).toEqual(properties);
    const names = namesIn(found);
    expect(names).toEqual([...new Set(names)]);
  }
}

test("of a name that stands twice in the properties of an event the last value is left", () => {
  fc.assert(fc.property(body, expectOnce), { numRuns: 2_000 });
});

test("also of many, and far apart", () => {
  for (const count of [100, 512, 513, 3_000]) {
    const names = Array.from({ length: count }, (_, i) => `"key ${i}":${i}`);
    const eventWith = (all: string[]) => `{"event":"e","distinct_id":"d","properties":{${all.join(",")}}}`;
    const text = (all: string[]) =>
      `{"api_key":"${TOKEN}","batch":[${eventWith(names.slice(0, 3))},${eventWith(all)}]}`;
    for (const twice of [0, count >> 1, count - 1]) expectOnce(text([...names, `"key ${twice}":"last"`]));
    expectOnce(text(names));
    expect(scanOutline(Buffer.from(text(names)), 200)).toMatchObject({ mayRepeat: count >= 200 });
  }
});
