import type { OpenFile } from "../../bucket/mod.ts";
import { RetryableError } from "../../types/mod.ts";
import type { SegmentFile, StoredFile } from "./segmentFile.ts";

/**
 * Where the files of segments are kept. A file is written as a draft in the work folder of this machine (`draftPath`) and
 * published once; from then on it never changes. The catalog knows which segments are live, the store does not.
 *
 * A location is the text by which this store and every DuckDB of this service name a published file. It may be a path.
 * A file that is not there is SegmentMissing. All other failures of the machine or the network are thrown as they come,
 * with their code.
 */
export interface SegmentStore {
  /** A local folder for what never leaves this machine: drafts, raw files, what engines spill. */
  readonly workDirectory: string;

  /** The folder of all locations. */
  readonly directory: string;

  /**
   * Moves drafts to where readers find them. When it returns, all of them are durable under their locations and no draft is
   * left. When it throws, any of them may be published and no call is still under way; each one appears whole or not at all. A request whose
   * answer was lost may still arrive at a store elsewhere: the collector finds what comes after `remove`.
   */
  publish(files: readonly SegmentFile[]): Promise<void>;

  /** The location of a file, whether it is there or not. DuckDB opens it within `hold` only. */
  locate(file: SegmentFile): string;

  /**
   * Runs `body` while DuckDB can open these files. A store elsewhere brings them to this machine first, and throws
   * SegmentMissing, or the reason of the signal; a store on this machine does nothing, and DuckDB finds out which are missing.
   */
  hold<T>(locations: readonly string[], body: () => Promise<T>, options?: HoldOptions): Promise<T>;

  /** Throws SegmentMissing. */
  open(location: string): Promise<OpenFile>;

  /** All bytes of a file. Throws SegmentMissing. */
  read(location: string): Promise<Uint8Array>;

  /** All bytes of a file, read when they are used; they stay readable after `remove`. Throws SegmentMissing. */
  map(location: string): Promise<Uint8Array>;

  has(location: string): Promise<boolean>;

  /** Every file in the store and in its work folder, strays included, but for what engines spill. */
  list(): Promise<StoredFile[]>;

  /** Removes all files of a segment, published or not; those that are gone already are no error. */
  remove(id: string): Promise<void>;
}

export interface HoldOptions {
  /** Ends the wait for files that are brought; `body` is told by others. */
  signal?: AbortSignal | undefined;
}

/** The file was collected: the list of segments that named it is old. */
export class SegmentMissing extends RetryableError {
  constructor(location: string, options?: ErrorOptions) {
    super("segment_missing", `${location} is gone`, options);
  }
}
