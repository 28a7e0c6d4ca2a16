import { expect, test } from "bun:test";
import { membersOf } from "../../src/json/mod.ts";

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
