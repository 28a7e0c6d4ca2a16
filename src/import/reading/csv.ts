import type { JsonObject } from "../../types/mod.ts";
import { blocksOf, isLong } from "./blocks.ts";
import { FileUnreadable } from "./input.ts";
import { badEncoding, ROW_MAX_BYTES, tooLong } from "./lines.ts";
import { BrokenRow, type Row, TableRow } from "./row.ts";

/** A row with text in quotes may go over lines, so far. */
const QUOTED_MAX = 2 << 20;
const DELIMITERS = [",", ";", "\t", "|"];
const QUOTE = '"';
const REPLACEMENT = "\ufffd";
const LONE_RETURN = /\r(?!\n)/;
const ENDS_OF_OLD = "Its lines end with a carriage return alone; line feeds can be read (`tr '\\r' '\\n'` makes them).";

/**
 * The rows of a CSV (RFC 4180; commas, semicolons, tabs or bars) whose first row names the columns. Empty fields are left out. A row
 * with another number of fields, or with a quote that is not closed, is broken; reading goes on with the next line.
 * Throws FileUnreadable.
 */
export async function* csvRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  let parser: Parser | null = null;
  for await (const block of blocksOf(pieces, ROW_MAX_BYTES)) {
    if (isLong(block)) {
      if (parser === null) throw new FileUnreadable("The first line is too long for names of columns.");
      yield [...parser.end(), tooLong(block.line, block.head)];
      continue;
    }
    parser ??= new Parser(delimiterIn(block.text), block.line);
    const rows = parser.feed(block.text, block.line, block.isDamaged);
    if (rows.length > 0) yield rows;
  }
  const rows = parser?.end() ?? [];
  if (rows.length > 0) yield rows;
}

/** The one that the first line has most of, outside of quotes. */
function delimiterIn(text: string): string {
  const [line = ""] = text.split("\n", 1);
  const bare = line.replaceAll(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** What the text at a place is: the fields of a row and where it ends, or why there is none. */
type Cut = { fields: string[]; end: number } | "unfinished" | "malformed";

class Parser {
  private columns: string[] | null = null;
  /** The text of a row that goes on in the next block. */
  private carried = "";

  constructor(
    private readonly delimiter: string,
    private line: number,
  ) {}

  feed(text: string, line: number, isDamaged: boolean): Row[] {
    if (this.carried === "") this.line = line;
    // A block has no line break at its end.
    return this.parse(this.carried === "" ? text : `${this.carried}\n${text}`, isDamaged, false);
  }

  /** The rest: a quote in it is never closed. */
  end(): Row[] {
    const rest = this.carried;
    this.carried = "";
    return rest === "" ? [] : this.parse(rest, false, true);
  }

  private parse(text: string, isDamaged: boolean, isEnd: boolean): Row[] {
    const rows: Row[] = [];
    this.carried = "";
    let at = 0;
    while (at <= text.length) {
      const lineEnd = endOfLine(text, at);
      const cut = this.cut(text, at, lineEnd);
      if (cut === "unfinished" && !isEnd && text.length - at <= QUOTED_MAX) {
        this.carried = text.slice(at);
        break;
      }
      const isRow = typeof cut === "object";
      const end = isRow ? cut.end : lineEnd;
      const written = withoutReturn(text.slice(at, end));
      if (written.trim() !== "") {
        const row = this.rowOf(cut, written, isDamaged);
        if (row !== null) rows.push(row);
      }
      this.line += isRow && end !== lineEnd ? breaksIn(text, at, end) + 1 : 1;
      at = end + 1;
    }
    return rows;
  }

  private rowOf(cut: Cut, written: string, isDamaged: boolean): Row | null {
    const { line } = this;
    if (isDamaged && written.includes(REPLACEMENT)) return badEncoding(line, written);
    if (cut === "unfinished") return new BrokenRow(line, "unreadable", "A quote is not closed.", written);
    if (cut === "malformed") return new BrokenRow(line, "unreadable", "There is text behind a closing quote.", written);
    if (this.columns === null) {
      if (LONE_RETURN.test(written)) throw new FileUnreadable(ENDS_OF_OLD);
      this.columns = columnsOf(cut.fields);
      return null;
    }
    const { columns } = this;
    const { fields } = cut;
    if (fields.length !== columns.length) {
      return new BrokenRow(
        line,
        "unreadable",
        `${fields.length} fields where there are ${columns.length} columns.`,
        written,
      );
    }
    return new TableRow(line, () => objectOf(columns, fields));
  }

  private cut(text: string, at: number, lineEnd: number): Cut {
    const line = withoutReturn(text.slice(at, lineEnd));
    if (!line.includes(QUOTE)) return { fields: line.split(this.delimiter), end: lineEnd };
    return this.cutQuoted(text, at);
  }

  private cutQuoted(text: string, from: number): Cut {
    const fields: string[] = [];
    let at = from;
    for (;;) {
      let end: number;
      if (text[at] === QUOTE) {
        const close = closingQuote(text, at + 1);
        if (close === -1) return "unfinished";
        fields.push(text.slice(at + 1, close).replaceAll('""', QUOTE));
        end = close + 1;
        if (text[end] === "\r" && (end + 1 === text.length || text[end + 1] === "\n")) end++;
        if (end < text.length && text[end] !== this.delimiter && text[end] !== "\n") return "malformed";
      } else {
        end = this.endOfField(text, at);
        fields.push(withoutReturn(text.slice(at, end)));
      }
      if (end >= text.length || text[end] === "\n") return { fields, end };
      at = end + 1;
    }
  }

  private endOfField(text: string, at: number): number {
    const delimiter = this.delimiter.charCodeAt(0);
    let end = at;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === delimiter || code === 10) break;
    }
    return end;
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

const withoutReturn = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text);

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf(QUOTE, from); at !== -1; at = text.indexOf(QUOTE, at + 2)) {
    if (text[at + 1] !== QUOTE) return at;
  }
  return -1;
}

function breaksIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Names of columns: a nameless one is named by its number, a second one of a name gets a number behind it. */
function columnsOf(fields: readonly string[]): string[] {
  const names = new Set<string>();
  for (const [i, field] of fields.entries()) {
    const wanted = field.trim() || `column${i + 1}`;
    let name = wanted;
    for (let k = 2; names.has(name); k++) name = `${wanted}_${k}`;
    names.add(name);
  }
  return [...names];
}

function objectOf(columns: readonly string[], fields: readonly string[]): JsonObject {
  const row: JsonObject = {};
  for (let i = 0; i < columns.length; i++) {
    const field = fields[i]!;
    if (field === "") continue;
    const name = columns[i]!;
    if (name === "__proto__") Object.defineProperty(row, name, { value: field, enumerable: true });
    else row[name] = field;
  }
  return row;
}
