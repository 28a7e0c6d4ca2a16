import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Inline,
  openingOf,
  parseInline,
  parseMarkdown,
  webAddress,
} from "../../src/web/app/pages/parts/board/markdown.ts";

/** Everything in a text that could mean something to the parser, or to a browser. */
const pieces = fc.constantFrom(
  ..."*|**|_|__|`|[|](|)|#|## |- |1. |\n|\n\n|\r|<script>|</p>|<img src=x onerror=alert(1)>|&amp;".split("|"),
  ..."javascript:alert(1)|JaVaScRiPt:|data:text/html,x|https://a.b/c|http://|https://u:p@[::1]|//evil|\u202e| |x|\\".split(
    "|",
  ),
  "\u0000",
);
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((list) => list.join("")),
  fc.string(),
  fc.string({ unit: "binary" }),
);

function* partsOf(source: string): Generator<Inline> {
  for (const block of parseMarkdown(source)) {
    const lines = block.kind === "list" ? block.items : block.kind === "heading" ? [block.parts] : block.lines;
    for (const line of lines) yield* within(line);
  }
}

function* within(parts: readonly Inline[]): Generator<Inline> {
  for (const part of parts) {
    yield part;
    if ("parts" in part) yield* within(part.parts);
  }
}

const textOf = (source: string) => Array.from(partsOf(source), (part) => ("text" in part ? part.text : "")).join("");

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at++;
  return at >= part.length;
}

describe("a text of a board", () => {
  test("has no part but those that are known, and links to web addresses alone", () => {
    fc.assert(
      fc.property(hostile, (source) => {
        for (const part of partsOf(source)) {
          expect(["text", "code", "strong", "em", "link"]).toContain(part.kind);
          if (part.kind === "link") expect(new URL(part.href).protocol).toMatch(/^https?:$/);
        }
      }),
    );
  });

  test("says nothing that was not written, in its order", () => {
    const chars = fc.array(pieces, { maxLength: 60 }).map((list) => list.join(""));
    fc.assert(fc.property(chars, (source) => expect(isSubsequence(textOf(source), source)).toBe(true)));
  });

  test("loses no word of letters", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z ]{1,12}$/)), (lines) => {
        const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
        const read = parseMarkdown(lines.join("\n")).flatMap((block) =>
          block.kind === "paragraph"
            ? block.lines.map((line) => line.map((p) => ("text" in p ? p.text : "")).join(""))
            : [],
        );
        expect(words(read.join(" "))).toEqual(words(lines.join(" ")));
      }),
    );
  });

  test("is read to its end however its marks nest", () => {
    for (const mark of ["*", "**", "_", "`", "[", "](", "[a](https://b.c", "#", "- ", "**_", "\n"]) {
      expect(() => Array.from(partsOf(mark.repeat(20_000)))).not.toThrow();
    }
  });

  test("has headings, lists, and paragraphs", () => {
    const source = "# One\n\nTwo **bold** and *leaning*\nnext line\n\n- a\n- b\n1. c\n####### no heading";
    const kinds = parseMarkdown(source).map((block) =>
      block.kind === "list" ? `list ${block.items.length}` : block.kind,
    );
    expect(kinds).toEqual(["heading", "paragraph", "list 2", "list 1", "paragraph"]);
  });

  test("has links with parts in them", () => {
    expect(parseInline("see [the **docs**](https://example.com/a?b=1) now")).toEqual([
      { kind: "text", text: "see " },
      {
        kind: "link",
        href: "https://example.com/a?b=1",
        parts: [
          { kind: "text", text: "the " },
          { kind: "strong", parts: [{ kind: "text", text: "docs" }] },
        ],
      },
      { kind: "text", text: " now" },
    ]);
  });

  test("leaves sums and names with underscores alone", () => {
    for (const text of ["2 * 3 * 4", "snake_case_name", "a ** b", "[x](javascript:alert(1))", "[x](//evil)"]) {
      expect(parseInline(text)).toEqual([{ kind: "text", text }]);
    }
  });

  test("is called as it begins", () => {
    expect(openingOf("\n# The **first** [line](https://a.b)\nnext", 40)).toBe("The first line");
    expect(openingOf("- one\n- two", 2)).toBe("on…");
    expect(openingOf("", 40)).toBe("");
  });

  test("takes web addresses alone", () => {
    expect(webAddress("https://example.com")).toBe("https://example.com/");
    for (const text of [
      "javascript:alert(1)",
      " javascript:x",
      "data:text/html,x",
      "//a",
      "/a",
      "https://",
      "ftp://a",
    ]) {
      expect(webAddress(text)).toBeNull();
    }
  });
});
