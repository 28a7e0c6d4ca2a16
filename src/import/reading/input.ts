import { TerminalError } from "../../types/mod.ts";

/** A file to read, wherever it is. */
export interface Input {
  /** For people: a path, an address, `archive.zip/entry`. */
  name: string;
  /** As it lies there, packed or not. */
  sizeBytes: number;
  /** Another text after the file was changed. */
  version: string;
  /** Its path where it lies on this machine as it is, else null. */
  path: string | null;
  /** Its bytes, in pieces. Throws FileUnreadable for a damaged archive, and errors of the machine. */
  open(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** The rest of a file cannot be read, and another try would not help: it is damaged, or is not what it claims to be. */
export class FileUnreadable extends TerminalError {
  constructor(problem: string) {
    super("file_unreadable", problem);
  }
}
