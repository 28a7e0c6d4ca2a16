import { FileUnreadable } from "./input.ts";

/** Text of whole lines, the last line break left out. */
export interface Block {
  text: string;
  /** Of its first line, from 1. */
  line: number;
  /** Bytes that are no UTF-8 are in it; they came out as U+FFFD. */
  isDamaged: boolean;
}

/** A line beyond the limit; its bytes were not kept. */
export interface LongLine {
  line: number;
  /** How it begins. */
  head: string;
}

const LINE_BREAK = 10;
const HEAD_BYTES = 1_000;
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });

/** Cuts bytes into blocks of whole lines. A line of more than `limitBytes` is told, and never held. Throws FileUnreadable. */
export async function* blocksOf(
  pieces: AsyncIterable<Uint8Array>,
  limitBytes: number,
): AsyncGenerator<Block | LongLine> {
  let line = 1;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isSkipping = false;
  const hold = (bytes: Uint8Array) => {
    if (isSkipping || bytes.length === 0) return;
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes <= limitBytes) return;
    held = [Buffer.concat(held).subarray(0, HEAD_BYTES).slice()];
    isSkipping = true;
  };
  const release = (): Uint8Array => {
    const [only] = held;
    const bytes = held.length === 1 ? only! : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return bytes;
  };
  for await (const piece of withoutMark(pieces)) {
    const first = piece.indexOf(LINE_BREAK);
    if (first === -1) {
      hold(piece);
      continue;
    }
    const last = piece.lastIndexOf(LINE_BREAK);
    let from = 0;
    if (held.length > 0) {
      hold(piece.subarray(0, first));
      const bytes = release();
      if (isSkipping) yield { line, head: LENIENT.decode(bytes.subarray(0, HEAD_BYTES)) };
      else yield blockOf(bytes, line);
      isSkipping = false;
      line++;
      from = first + 1;
    }
    if (from <= last) {
      const block = blockOf(piece.subarray(from, last), line);
      line += breaksIn(piece, from, last + 1);
      yield block;
    }
    hold(piece.subarray(last + 1));
  }
  if (held.length === 0) return;
  const bytes = release();
  if (isSkipping) yield { line, head: LENIENT.decode(bytes.subarray(0, HEAD_BYTES)) };
  else yield blockOf(bytes, line);
}

export const isLong = (part: Block | LongLine): part is LongLine => "head" in part;

function blockOf(bytes: Uint8Array, line: number): Block {
  try {
    return { text: STRICT.decode(bytes), line, isDamaged: false };
  } catch {
    return { text: LENIENT.decode(bytes), line, isDamaged: true };
  }
}

function breaksIn(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_BREAK, from); at !== -1 && at < to; at = bytes.indexOf(LINE_BREAK, at + 1)) count++;
  return count;
}

/** Takes a byte order mark of UTF-8 off. Throws FileUnreadable for UTF-16. */
export async function* withoutMark(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    if (!isFirst || piece.length === 0) {
      yield piece;
      continue;
    }
    isFirst = false;
    const [a, b, c] = piece;
    if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
      throw new FileUnreadable("The file is UTF-16; only UTF-8 can be read (`iconv -f UTF-16 -t UTF-8` makes it).");
    }
    yield a === 0xef && b === 0xbb && c === 0xbf ? piece.subarray(3) : piece;
  }
}
