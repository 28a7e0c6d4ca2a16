import { afterAll, describe, expect, test } from "bun:test";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

describe("expressions", () => {
  test.each<[string, unknown[]]>([
    [
      "toString(9223372036854775807), toString(-9223372036854775807 - 1), 9007199254740993 - 9007199254740992, 1234567890123456, '\"value\":12345678901234567890}'",
      ["9223372036854775807", "-9223372036854775808", 1, 1234567890123456, '"value":12345678901234567890}'],
    ],
    ["1 + 2 * 3, 7 / 2, 7 % 3, intDiv(7, 2), -5, 1.5 + 1", [7, 3.5, 1, 3, -5, 2.5]],
    ["round(2.5), round(7.625, 2), floor(-1.5), ceil(1.2), abs(-3), sqrt(-1)", [2, 7.62, -2, 2, 3, null]],
    [
      "lower('ABC'), upper('é'), length('äb'), lengthUTF8('äb'), concat('a', 1, true), 'a' || 'b'",
      ["abc", "É", 3, 2, "a1true", "ab"],
    ],
    [
      "substring('hello', 2, 3), replaceAll('aa', 'a', 'b'), position('abc', 'c'), trim(' a '), startsWith('ab', 'a')",
      ["ell", "bb", 3, "a", true],
    ],
    [
      "toFloat('1.5'), toFloat('x'), toInt('12'), toInt('1.5'), toInt(1.9), toString(1.5), toString(2)",
      [1.5, null, 12, null, null, "1.5", "2"],
    ],
    [
      "toBool('true'), toUUID('x'), toDate('2020-01-05'), toDateTime('nope'), '5'::int",
      [true, null, "2020-01-05", null, 5],
    ],
    [
      "if(1 > 0, 'a', 'b'), multiIf(0, 'a', 1, 'b', 'c'), case 2 when 1 then 'x' when 2 then 'y' else 'z' end",
      ["a", "b", "y"],
    ],
    ["ifNull(null, 1), coalesce(null, null, 'x'), nullIf(1, 1), null ?? 2", [1, "x", null, 2]],
    ["[1, 2, 3][-1], has([1, 2], 2), length([1, 2]), splitByChar(',', 'a,b')", [3, true, 2, ["a", "b"]]],
    ["true and false, not true, null = null, 2 != null, null < 1", [false, false, true, true, false]],
    [
      "JSONExtractString('{\"a\":{\"b\":\"c\"}}', 'a', 'b'), JSONExtractInt('{\"a\":[7]}', 'a', 1), JSONHas('x', 'a')",
      ["c", 7, false],
    ],
  ])("%s", async (list, expected) => {
    expect(await rows(`select ${list}`)).toEqual([expected]);
  });
});
