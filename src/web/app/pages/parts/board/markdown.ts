/** A text as parts; nothing in it is ever HTML. Links have http or https addresses alone. */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em"; parts: readonly Inline[] }
  | { kind: "link"; href: string; parts: readonly Inline[] };

export type Block =
  | { kind: "heading"; level: 1 | 2 | 3; parts: readonly Inline[] }
  | { kind: "paragraph"; lines: readonly (readonly Inline[])[] }
  | { kind: "list"; isOrdered: boolean; items: readonly (readonly Inline[])[] };

const MAX_CHARACTERS = 20_000;
const MAX_DEPTH = 4;
const HEADING = /^(#{1,6}) +(.*)$/;
const BULLET = /^ {0,3}[-*+] +(.*)$/;
const NUMBER = /^ {0,3}\d{1,9}[.)] +(.*)$/;

/** A small part of Markdown: headings, lists, bold, italics, code, links. Everything else is text. */
export function parseMarkdown(source: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of source.slice(0, MAX_CHARACTERS).split(/\r\n|\r|\n/)) {
    const heading = HEADING.exec(line);
    const bullet = heading === null ? BULLET.exec(line) : null;
    const number = heading === null ? NUMBER.exec(line) : null;
    const last = blocks.at(-1);
    if (heading !== null) {
      const level = Math.min(heading[1]!.length, 3) as 1 | 2 | 3;
      blocks.push({ kind: "heading", level, parts: parseInline(heading[2]!) });
    } else if (bullet !== null || number !== null) {
      const item = parseInline((bullet ?? number)![1]!);
      const isOrdered = number !== null;
      if (last?.kind === "list" && last.isOrdered === isOrdered) {
        blocks[blocks.length - 1] = { ...last, items: append(last.items, item) };
      } else blocks.push({ kind: "list", isOrdered, items: [item] });
    } else if (line.trim() === "") blocks.push({ kind: "paragraph", lines: [] });
    else if (last?.kind === "paragraph")
      blocks[blocks.length - 1] = { ...last, lines: append(last.lines, parseInline(line)) };
    else blocks.push({ kind: "paragraph", lines: [parseInline(line)] });
  }
  return blocks.filter((block) => block.kind !== "paragraph" || block.lines.length > 0);
}

/** Adds in place: a text of many lines is read in the time of its length. */
function append<T>(list: readonly T[], item: T): readonly T[] {
  (list as T[]).push(item);
  return list;
}

const MARKS = [
  ["**", "strong"],
  ["__", "strong"],
  ["*", "em"],
  ["_", "em"],
] as const;

/** The parts of one line. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const parts: Inline[] = [];
  let plain = "";
  /** Marks without an end in the rest of the line: they are not looked for again. */
  const unclosed = new Set<string>();
  const flush = () => {
    if (plain !== "") parts.push({ kind: "text", text: plain });
    plain = "";
  };
  for (let at = 0; at < text.length; ) {
    const found = depth < MAX_DEPTH ? partAt(text, at, depth, unclosed) : null;
    if (found === null) {
      plain += text[at++];
      continue;
    }
    flush();
    parts.push(found.part);
    at = found.end;
  }
  flush();
  return parts;
}

interface Found {
  part: Inline;
  end: number;
}

function partAt(text: string, at: number, depth: number, unclosed: Set<string>): Found | null {
  const closing = (mark: string, from: number) => {
    if (unclosed.has(mark)) return -1;
    const end = text.indexOf(mark, from);
    if (end === -1) unclosed.add(mark);
    return end;
  };
  if (text[at] === "`") {
    const end = closing("`", at + 1);
    return end <= at + 1 ? null : { part: { kind: "code", text: text.slice(at + 1, end) }, end: end + 1 };
  }
  if (text[at] === "[") return linkAt(text, at, depth, closing);
  for (const [mark, kind] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    // `2 * 3` and `snake_case` are texts.
    if (/^\s|^$/.test(text.slice(from, from + 1)) || (mark[0] === "_" && isWord(text[at - 1]))) return null;
    const end = closing(mark, from);
    if (end <= from) continue;
    return { part: { kind, parts: parseInline(text.slice(from, end), depth + 1) }, end: end + mark.length };
  }
  return null;
}

function linkAt(
  text: string,
  at: number,
  depth: number,
  closing: (mark: string, from: number) => number,
): Found | null {
  const middle = closing("](", at);
  const end = middle === -1 ? -1 : closing(")", middle + 2);
  if (end === -1) return null;
  const href = webAddress(text.slice(middle + 2, end).trim());
  if (href === null) return null;
  return { part: { kind: "link", href, parts: parseInline(text.slice(at + 1, middle), depth + 1) }, end: end + 1 };
}

/** An address that may be a link; null for every other, such as `javascript:` ones. */
export function webAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return null;
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

const NAME_MAX = 40;

/** What a text is called: readers of screens meet several. */
export const nameOfText = (source: string): string => `text “${openingOf(source, NAME_MAX)}”`;

/** The beginning of a text, without its marks. */
export function openingOf(source: string, maxCharacters: number): string {
  const [block] = parseMarkdown(source);
  if (block === undefined) return "";
  const parts = block.kind === "heading" ? block.parts : block.kind === "list" ? block.items[0]! : block.lines[0]!;
  const text = plain(parts).trim();
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

const plain = (parts: readonly Inline[]): string =>
  parts.map((part) => ("text" in part ? part.text : plain(part.parts))).join("");

const isWord = (character: string | undefined) => character !== undefined && /\w/.test(character);
