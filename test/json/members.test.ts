import { expect, test } from "bun:test";
import fc from "fast-check";
import { itemsOf, membersOf } from "../../src/json/mod.ts";

test("members of an object are its value texts by key, of equal keys the last", () => {
  const text = ' {"a": [1, {"b": "]}"}], "x\\"y": "\\\\", "a": -1.5e3}';
  expect([...membersOf(text)]).toEqual([
    ["a", "-1.5e3"],
    ['x"y', '"\\\\"'],
  ]);
});

test.each(['{"a": [1, 2', '{"a": {"b": "c}', '{"a', '{"a": "b\\"'])(
  "%s, cut off, is an error and no endless loop",
  (text) => {
    expect(() => membersOf(text)).toThrow(/JSON ends inside/);
  },
);

test("the items of a list are its texts, to the letter", () => {
  const blank = fc.constantFrom("", " ", "\n\t ");
  const item = fc.oneof(fc.json(), fc.constantFrom("1e400", "12345678901234567890", '"]"', '"\\""', "[[]]", "{}"));
  fc.assert(
    fc.property(fc.array(fc.tuple(blank, item, blank)), blank, (items, before) => {
      const text = `${before}[${items.length === 0 ? before : items.map((parts) => parts.join("")).join(",")}]`;
      expect(itemsOf(text)).toEqual(items.map(([, item]) => item.trim()));
    }),
  );
  expect(itemsOf('{"a":[1]}')).toEqual([]);
});
