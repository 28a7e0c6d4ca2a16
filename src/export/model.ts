/** What is exported. */
export type Model = "events" | "persons" | "sessions" | "hogql";

export type FileFormat = "Parquet" | "JSONLines";
export type Compression = "zstd" | "lz4" | "snappy" | "gzip" | "brotli";

/** A file of a run, ready to be handed over. */
export interface Part {
  /** From 0, without gaps. */
  number: number;
  /** On this machine; the run removes it afterwards. */
  path: string;
  bytes: number;
  records: number;
}

/** Of a run: what names are made of. */
export interface RunRange {
  exportId: string;
  teamId: number;
  model: Model;
  /** Epoch milliseconds; the end is not part of it. `fromMs` null: from the beginning. */
  fromMs: number | null;
  toMs: number;
}

/**
 * A place that parts go to, opened for one run. Errors: RetryableError where trying again may help, TerminalError where it
 * cannot (a refused password, a bucket that is not there); both with a sentence for the run's log.
 */
export interface OpenDestination {
  /** How its parts are written. */
  format: { format: FileFormat; compression: Compression | null; maxPartBytes: number | null };
  /** Hands one part over. The same part again replaces what it left before. Gives the bytes that were sent. */
  put(part: Part, signal: AbortSignal): Promise<number>;
  /** After all parts: manifest, removal of parts from `parts` on that an earlier try left. */
  finish(parts: number, signal: AbortSignal): Promise<void>;
  /** Proves that parts could be put; leaves nothing behind. Errors as above. */
  test?(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A kind of destination. Adding one is a file and a line in `destinations/mod.ts`. */
export interface Destination {
  /** PostHog's name: `S3`, `Postgres`, `HTTP`, `FileDownload`, … */
  type: string;
  /** Members of `config` that are kept encrypted and never shown. */
  secrets: readonly string[];
  /** Checks a config and gives it with defaults. Throws TerminalError `invalid_config` that names the member. */
  check(config: Record<string, unknown>): Record<string, unknown>;
  /** Connects. What `test/` of the API calls too. */
  open(config: Record<string, unknown>, range: RunRange, env: DestinationEnv): Promise<OpenDestination>;
}

export interface DestinationEnv {
  /** The folder that file downloads lie in, and that local folders must be below unless `allowedFolders` names others. */
  folder: string;
  /** Folders of this machine below which exports may write. */
  allowedFolders: readonly string[];
  /** Whether hosts on private addresses are allowed (`WEIR_EXPORT_ALLOW_PRIVATE`). */
  allowPrivate: boolean;
  /** How long a database may take for a statement; two minutes when absent. */
  statementTimeoutMs?: number;
  log(level: "info" | "warn" | "error", message: string): void;
}
