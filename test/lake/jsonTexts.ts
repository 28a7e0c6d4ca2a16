import fc from "fast-check";

/** Keys that are hard for some reader. */
export const KEYS = [
  "",
  "a",
  "A",
  "a.b",
  "*",
  "/",
  "~",
  "~1",
  '"',
  "\\",
  "'",
  "é",
  "😀",
  "\u0000",
  "0",
  "$x",
  "__proto__",
  "rest",
];
const NUMBERS = [
  "0",
  "-0",
  "-0.0",
  "1",
  "-1",
  "1.0",
  "1.10",
  "1e2",
  "1E5",
  "100",
  "0.1",
  "1e-7",
  "0.00001",
  "5e-324",
  "1e21",
  "1e22",
  "1e308",
  "1e400",
  "-1e400",
  "19.99",
  "0.30000000000000004",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
  "12345678901234567890",
  "123456789012345678901234567890",
  "100000000000000000000.5",
  "1e15",
  "999999999999999",
  "1000000000000000",
  "1234567890123456.5",
];
const STRINGS = [
  "",
  "1",
  "1.0",
  "true",
  "null",
  "-0",
  "a-0,b",
  "x\u0000y",
  '{"a":1}',
  "[",
  "\ud83d\ude00",
  "é",
  "\u001f\n",
  '\\"',
];

const keyText = fc
  .oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) })
  .chain((key) => fc.constantFrom(JSON.stringify(key), escapeAll(key)));

/** The same string, every UTF-16 unit escaped. */
function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`);
  return `"${units.join("")}"`;
}

const space = fc.constantFrom("", "", "", " ", "\n", "\t");
/** JSON texts, as a client may write them. */
export const { object: objectText } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("null", "true", "false"),
    fc.constantFrom(...NUMBERS),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.constantFrom(...STRINGS).map((text) => JSON.stringify(text)),
    fc.string({ unit: "grapheme" }).chain((text) => fc.constantFrom(JSON.stringify(text), escapeAll(text))),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .tuple(fc.array(tie("value"), { maxLength: 3 }), space)
    .map(([items, gap]) => `[${gap}${items.join(`,${gap}`)}${gap}]`),
  object: fc
    .tuple(fc.array(fc.tuple(keyText, tie("value")), { maxLength: 6 }), space)
    .map(
      ([members, gap]) =>
        `{${members.map(([key, value]) => `${gap}${key}${gap}:${gap}${value}${gap}`).join(",")}${gap}}`,
    ),
}));

/** Integers keep all their digits in a comparison. */
export function exact(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { source: string }) =>
    typeof value === "number" && context !== undefined && /^-?\d+$/.test(context.source)
      ? `integer ${context.source}`
      : value,
  );
}
