import { CutOff, type Ending } from "./download.ts";

const TAIL_BYTES = 1 << 20;
const LINE_BREAK = 0x0a;

/** The last bytes of what came by. */
class Tail {
  private pieces: Uint8Array[] = [];
  private sizeBytes = 0;

  add(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.sizeBytes += piece.length;
    if (this.sizeBytes > 2 * TAIL_BYTES) this.keep(this.bytes());
  }

  /** At most 1 MB. */
  bytes(): Buffer {
    return Buffer.concat(this.pieces).subarray(-TAIL_BYTES);
  }

  private keep(bytes: Buffer): void {
    this.pieces = [bytes];
    this.sizeBytes = bytes.length;
  }
}

/** JSON lines are whole where the last one is a JSON object: else the answer ended within it, or it says that it ended early. */
export class LinesEnding implements Ending {
  private readonly tail = new Tail();

  add(piece: Uint8Array): void {
    this.tail.add(piece);
  }

  check(): void {
    const tail = this.tail.bytes();
    const text = tail.toString("utf8").trimEnd();
    if (text === "") return;
    const last = text.slice(text.lastIndexOf("\n") + 1);
    // Of a line that is longer than the tail only the end can be looked at.
    const isWhole = tail.length < TAIL_BYTES || tail.subarray(0, -2).includes(LINE_BREAK);
    if (last.endsWith("}") && (!isWhole || isJson(last))) return;
    throw new CutOff(`The answer ends with ${JSON.stringify(last.slice(-60))}.`);
  }
}

const END_OF_ZIP = Buffer.from("504b0506", "hex");
const END_OF_ZIP_BYTES = 22;

/** A zip is whole where its directory has an end. */
export class ZipEnding implements Ending {
  private readonly tail = new Tail();

  add(piece: Uint8Array): void {
    this.tail.add(piece);
  }

  check(): void {
    if (this.tail.bytes().lastIndexOf(END_OF_ZIP) === -1) throw new CutOff("The answer is no whole zip.");
  }
}

/** A zip without files. */
export const EMPTY_ZIP = Buffer.concat([END_OF_ZIP, Buffer.alloc(END_OF_ZIP_BYTES - END_OF_ZIP.length)]);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
