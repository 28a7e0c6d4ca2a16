import fc from "fast-check";

export const BLANKS = fc.array(fc.constantFrom(" ", "\n", "\t", "\r"), { maxLength: 3 }).map((all) => all.join(""));
export const TRICKY = [
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
/** Texts that look like JSON, and any others. */
export const TEXT = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...TRICKY));
const KEYS = ["properties", "propertie", "batch", "event", "__proto__", "$set", "distinct_id", "$browser", "token"];
const KEY = fc.oneof(TEXT, fc.constantFrom(...KEYS));

/** One way to write a string: each character as it is, or as one of its escapes. */
export function writtenString(text: string): fc.Arbitrary<string> {
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
export const { document: DOCUMENT, object: OBJECT } = fc.letrec<{ document: string; object: string; list: string }>(
  (tie) => ({
    document: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(
        "null",
        "true",
        "false",
        "0",
        "-1.50",
        "-0.0",
        "10.00",
        "1.0e2",
        "1e2",
        "12345678901234567890",
        '""',
        "{}",
        "[]",
      ),
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
  }),
);

function bracket(open: string, close: string) {
  return ([parts, before, after]: [string[], string, string]) =>
    `${open}${before}${parts.join(`${after},${before}`)}${after}${close}`;
}
