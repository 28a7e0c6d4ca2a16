import { S3Client, type S3File } from "bun";
import { describeError, RetryableError, TerminalError, UsageError } from "../types/mod.ts";

const PIECE_BYTES = 8 << 20;
const PAGE_OBJECTS = 1_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;

export interface BucketOptions {
  /** Of a server that is not Amazon's. */
  endpoint?: string | undefined;
  /** Credentials are `AWS_…` or `S3_…` of it. */
  env: Record<string, string | undefined>;
}

/** What a list says of an object. */
export interface ListedObject {
  key: string;
  sizeBytes: number;
  /** Changes with the object. */
  version: string;
  changedAtMs: number;
}

/**
 * A bucket of S3 or of what speaks like it, for what an operator names on a command line. Failures that may pass are tried again for
 * some seconds; then RetryableError `s3_unreachable`. TerminalError `s3_refused` where the server says no.
 */
export class Bucket {
  private readonly client: S3Client;

  private constructor(
    readonly name: string,
    /** As it stands in the address: what every key of `list` begins with. */
    readonly prefix: string,
    { endpoint, env }: BucketOptions,
  ) {
    const of = (name: string) => env[`AWS_${name}`] || env[`S3_${name}`] || undefined;
    this.client = new S3Client({
      bucket: name,
      endpoint: endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? of("ENDPOINT_URL") ?? of("ENDPOINT"),
      accessKeyId: of("ACCESS_KEY_ID"),
      secretAccessKey: of("SECRET_ACCESS_KEY"),
      sessionToken: of("SESSION_TOKEN"),
      region: of("REGION") ?? env.AWS_DEFAULT_REGION,
    });
  }

  /** `s3://BUCKET/PREFIX`. Throws UsageError. */
  static at(address: string, options: BucketOptions): Bucket {
    const [, name = "", prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(address) ?? [];
    if (name === "") throw new UsageError(`"${address}" must be s3://BUCKET/PREFIX.`);
    return new Bucket(name, prefix, options);
  }

  /** All objects whose keys begin with a text. */
  async list(prefix = this.prefix): Promise<ListedObject[]> {
    const found: ListedObject[] = [];
    for (let continuationToken: string | undefined; ; ) {
      const page = await patiently(`the list of ${this.nameOf(prefix)}`, () =>
        this.client.list({ prefix, continuationToken, maxKeys: PAGE_OBJECTS }),
      );
      for (const { key, size = 0, eTag, lastModified = "" } of page.contents ?? []) {
        const changedAtMs = Date.parse(lastModified) || 0;
        found.push({ key, sizeBytes: size, version: `${size} ${eTag ?? lastModified}`, changedAtMs });
      }
      continuationToken = page.nextContinuationToken;
      if (page.isTruncated !== true || continuationToken === undefined) return found;
    }
  }

  /** For messages. */
  nameOf(key: string): string {
    return `s3://${this.name}/${key}`;
  }

  /** The bytes of an object of this size, some MiB at a time. */
  async *pieces(
    key: string,
    { sizeBytes, signal }: { sizeBytes: number; signal?: AbortSignal },
  ): AsyncGenerator<Uint8Array> {
    const file: S3File = this.client.file(key);
    for (let at = 0; at < sizeBytes; at += PIECE_BYTES) {
      signal?.throwIfAborted();
      const end = Math.min(sizeBytes, at + PIECE_BYTES);
      yield await patiently(this.nameOf(key), async () => {
        const bytes = await file.slice(at, end).bytes();
        if (bytes.length === end - at) return bytes;
        throw new Error(`${bytes.length} bytes came instead of ${end - at}`);
      });
    }
  }

  /** Null when there is none. */
  async text(key: string): Promise<string | null> {
    return patiently(this.nameOf(key), async () => {
      try {
        return await this.client.file(key).text();
      } catch (error) {
        if (/NoSuchKey/.test(codeOf(error))) return null;
        throw error;
      }
    });
  }

  /** A text, or a file of this machine, in parts where it is large. Appears whole or not at all. */
  async write(key: string, body: string | Bun.BunFile): Promise<void> {
    await patiently(this.nameOf(key), () => this.client.write(key, body));
  }

  async remove(key: string): Promise<void> {
    await patiently(this.nameOf(key), () => this.client.delete(key));
  }
}

/** Tries again after failures that may pass. */
async function patiently<T>(what: string, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1, pauseMs = FIRST_PAUSE_MS; ; attempt++, pauseMs *= 2) {
    try {
      return await ask();
    } catch (error) {
      const problem = `${what}: ${describeError(error)}`;
      if (isRefusal(error)) throw new TerminalError("s3_refused", problem);
      if (attempt === ATTEMPTS) throw new RetryableError("s3_unreachable", problem);
      await Bun.sleep(pauseMs);
    }
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? "");
}

function isRefusal(error: unknown): boolean {
  return /AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|NoSuchBucket|NoSuchKey|MissingCredentials|MISSING_CREDENTIALS|INVALID/i.test(
    codeOf(error),
  );
}
