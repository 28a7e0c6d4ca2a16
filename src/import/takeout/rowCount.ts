import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { TerminalError } from "../../types/mod.ts";

const NEWLINE = 10;
const MAGIC = "PAR1";
const TAIL_BYTES = 8;

/** Rows of a Parquet file by its footer, lines of a packed file of lines. Throws TerminalError `file_damaged`. */
export function rowCount(path: string, format: "Parquet" | "JSONLines"): Promise<number> {
  return format === "Parquet" ? parquetRows(path) : lines(path);
}

async function lines(path: string): Promise<number> {
  let count = 0;
  try {
    for await (const piece of createReadStream(path).pipe(createGunzip())) {
      const bytes = piece as Buffer;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
    }
  } catch {
    throw damaged(path);
  }
  return count;
}

async function parquetRows(path: string): Promise<number> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(TAIL_BYTES);
    if (size < TAIL_BYTES * 2) throw damaged(path);
    await file.read(tail, 0, TAIL_BYTES, size - TAIL_BYTES);
    const length = tail.readUInt32LE(0);
    if (tail.toString("latin1", 4) !== MAGIC || length > size - TAIL_BYTES) throw damaged(path);
    const footer = Buffer.alloc(length);
    await file.read(footer, 0, length, size - TAIL_BYTES - length);
    return integerIn(footer, path);
  } finally {
    await file.close();
  }
}

function integerIn(footer: Buffer, path: string): number {
  try {
    const rows = new CompactStruct(footer).integer(NUM_ROWS);
    if (rows !== null) return rows;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw damaged(path);
}

const damaged = (path: string) =>
  new TerminalError("file_damaged", `${path} is damaged: it was not written to its end`);

/** The field of a Parquet file's metadata that has the number of rows. */
const NUM_ROWS = 3;

/** Of Thrift's compact protocol. */
const TYPE = {
  stop: 0,
  yes: 1,
  no: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
};

/** A struct as Thrift's compact protocol writes it, of which one integer is wanted. */
class CompactStruct {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Null where the struct does not have the field. Throws RangeError where the bytes end early. */
  integer(wanted: number): number | null {
    for (let field = 0; ; ) {
      const head = this.byte();
      const type = head & 15;
      if (type === TYPE.stop) return null;
      field = head >> 4 === 0 ? this.zigzag() : field + (head >> 4);
      if (field === wanted) return this.zigzag();
      this.skip(type);
    }
  }

  private byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  private varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  private zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  private skip(type: number): void {
    if (type === TYPE.byte) this.at++;
    else if (type === TYPE.i16 || type === TYPE.i32 || type === TYPE.i64) this.varint();
    else if (type === TYPE.double) this.at += 8;
    else if (type === TYPE.binary) this.skipBytes();
    else if (type === TYPE.list || type === TYPE.set) this.skipList();
    else if (type === TYPE.map) this.skipMap();
    else if (type === TYPE.struct) this.skipStruct();
  }

  private skipBytes(): void {
    const length = this.varint();
    this.at += length;
  }

  private skipList(): void {
    const head = this.byte();
    const size = head >> 4 === 15 ? this.varint() : head >> 4;
    for (let i = 0; i < size; i++) this.skipElement(head & 15);
  }

  private skipMap(): void {
    const size = this.varint();
    if (size === 0) return;
    const types = this.byte();
    for (let i = 0; i < size; i++) {
      this.skipElement(types >> 4);
      this.skipElement(types & 15);
    }
  }

  /** In lists a boolean has a byte; as a member its type is its value. */
  private skipElement(type: number): void {
    if (type === TYPE.yes || type === TYPE.no) this.at++;
    else this.skip(type);
  }

  private skipStruct(): void {
    for (;;) {
      const head = this.byte();
      if ((head & 15) === TYPE.stop) return;
      if (head >> 4 === 0) this.varint();
      this.skip(head & 15);
    }
  }
}
