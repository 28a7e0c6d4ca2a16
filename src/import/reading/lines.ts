import { blocksOf, isLong } from "./blocks.ts";
import { BrokenRow, type Row, TextRow } from "./row.ts";

/** The longest line or row that is read. */
export const ROW_MAX_BYTES = 20_000_000;

export const tooLong = (line: number, head: string): Row =>
  new BrokenRow(line, "too_long", `The row is longer than ${ROW_MAX_BYTES} bytes.`, head);

export const badEncoding = (line: number, text: string): Row =>
  new BrokenRow(line, "bad_encoding", "The row is no UTF-8.", text);

const REPLACEMENT = "\ufffd";

/** A row for each line that is not blank. Throws FileUnreadable. */
export async function* lineRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  for await (const block of blocksOf(pieces, ROW_MAX_BYTES)) {
    if (isLong(block)) {
      yield [tooLong(block.line, block.head)];
      continue;
    }
    const { isDamaged } = block;
    let { line } = block;
    const rows: Row[] = [];
    for (const text of block.text.split("\n")) {
      if (isBlank(text)) line++;
      else if (isDamaged && text.includes(REPLACEMENT)) rows.push(badEncoding(line++, text));
      else rows.push(new TextRow(line++, text));
    }
    if (rows.length > 0) yield rows;
  }
}

const isBlank = (text: string): boolean => text.length < 64 && text.trim() === "";
