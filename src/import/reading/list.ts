import { FileUnreadable } from "./input.ts";
import { badEncoding, ROW_MAX_BYTES, tooLong } from "./lines.ts";
import { type Row, TextRow } from "./row.ts";

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });
const HEAD_BYTES = 1_000;

const LINE_BREAK = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BLANK = 0x20;

/** A row for each element of a JSON list (or of several, one after the other). Throws FileUnreadable. */
export async function* listRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  const splitter = new Splitter();
  for await (const piece of pieces) {
    const rows = splitter.feed(piece);
    if (rows.length > 0) yield rows;
  }
  splitter.end();
}

/** Finds where the elements of a list begin and end. */
class Splitter {
  private line = 1;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  /** Of the element in hand: its line (0: none), and the bytes of earlier pieces. */
  private elementLine = 0;
  private held: Uint8Array[] = [];
  private heldBytes = 0;

  feed(piece: Uint8Array): Row[] {
    const rows: Row[] = [];
    // Where the element in hand begins in this piece.
    let start = 0;
    const begin = (at: number) => {
      if (this.elementLine !== 0) return;
      this.elementLine = this.line;
      start = at;
    };
    const finish = (end: number) => {
      rows.push(this.take(piece.subarray(start, end)));
    };
    for (let i = 0; i < piece.length; i++) {
      const code = piece[i]!;
      if (code === LINE_BREAK) this.line++;
      if (this.isInText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (code === BACKSLASH) this.isEscaped = true;
        else if (code === QUOTE) this.isInText = false;
        continue;
      }
      if (code <= BLANK) continue;
      if (this.depth === 0) {
        if (code === OPEN_LIST) this.depth = 1;
        else if (code !== COMMA) throw new FileUnreadable(`Line ${this.line}: there is something outside of the list.`);
        continue;
      }
      if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        this.depth--;
        if (this.depth === 0 && this.elementLine !== 0) finish(i);
        else if (this.depth === 1) finish(i + 1);
        continue;
      }
      if (code === COMMA) {
        if (this.depth === 1 && this.elementLine !== 0) finish(i);
        continue;
      }
      begin(i);
      if (code === QUOTE) this.isInText = true;
      else if (code === OPEN_LIST || code === OPEN_OBJECT) this.depth++;
    }
    if (this.elementLine !== 0) this.hold(piece.subarray(start));
    return rows;
  }

  end(): void {
    if (this.depth > 0) throw new FileUnreadable("The list of JSON ends early.");
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes <= ROW_MAX_BYTES) this.held.push(bytes);
    else this.held = [Buffer.concat(this.held).subarray(0, HEAD_BYTES).slice()];
  }

  private take(rest: Uint8Array): Row {
    const { elementLine: line } = this;
    const isTooLong = this.heldBytes + rest.length > ROW_MAX_BYTES;
    const bytes = this.held.length === 0 ? rest : Buffer.concat([...this.held, rest]);
    this.held = [];
    this.heldBytes = 0;
    this.elementLine = 0;
    if (isTooLong) return tooLong(line, LENIENT.decode(bytes.subarray(0, HEAD_BYTES)));
    try {
      return new TextRow(line, STRICT.decode(bytes));
    } catch {
      return badEncoding(line, LENIENT.decode(bytes));
    }
  }
}
