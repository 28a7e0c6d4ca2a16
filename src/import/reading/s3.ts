import { S3Client, type S3File } from "bun";
import { describeError, RetryableError, TerminalError, UsageError } from "../../types/mod.ts";
import type { Input } from "./input.ts";

const PIECE_BYTES = 8 << 20;
const PAGE_OBJECTS = 1_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;

export interface S3Options {
  /** Of a server that is not Amazon's. */
  endpoint?: string | undefined;
  /** Credentials are `AWS_…` or `S3_…` of it. */
  env: Record<string, string | undefined>;
}

/** The objects below `s3://bucket/prefix`, sorted by key. Throws UsageError, and TerminalError `s3_refused`. */
export async function s3Inputs(address: string, options: S3Options): Promise<Input[]> {
  const { bucket, prefix } = placeIn(address);
  const client = clientOf(bucket, options);
  const inputs: Input[] = [];
  for (let continuationToken: string | undefined; ; ) {
    const page = await patiently(`the list of ${address}`, () =>
      client.list({ prefix, continuationToken, maxKeys: PAGE_OBJECTS }),
    );
    for (const { key, size = 0, eTag, lastModified } of page.contents ?? []) {
      if (key.endsWith("/")) continue;
      const name = `s3://${bucket}/${key}`;
      const version = `${size} ${eTag ?? lastModified ?? ""}`;
      inputs.push({
        name,
        path: null,
        sizeBytes: size,
        version,
        open: (signal) => piecesOf(client.file(key), { name, size, signal }),
      });
    }
    continuationToken = page.nextContinuationToken;
    if (page.isTruncated !== true || continuationToken === undefined) break;
  }
  return inputs.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function placeIn(address: string): { bucket: string; prefix: string } {
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(address) ?? [];
  if (bucket === "") throw new UsageError(`"${address}" must be s3://BUCKET/PREFIX.`);
  return { bucket, prefix };
}

function clientOf(bucket: string, { endpoint, env }: S3Options): S3Client {
  const of = (name: string) => env[`AWS_${name}`] || env[`S3_${name}`] || undefined;
  return new S3Client({
    bucket,
    endpoint: endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? of("ENDPOINT_URL") ?? of("ENDPOINT"),
    accessKeyId: of("ACCESS_KEY_ID"),
    secretAccessKey: of("SECRET_ACCESS_KEY"),
    sessionToken: of("SESSION_TOKEN"),
    region: of("REGION") ?? env.AWS_DEFAULT_REGION,
  });
}

async function* piecesOf(
  file: S3File,
  { name, size, signal }: { name: string; size: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += PIECE_BYTES) {
    signal.throwIfAborted();
    const end = Math.min(size, at + PIECE_BYTES);
    const piece = await patiently(name, async () => {
      const bytes = await file.slice(at, end).bytes();
      if (bytes.length === end - at) return bytes;
      throw new Error(`${bytes.length} bytes came instead of ${end - at}`);
    });
    yield piece;
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

function isRefusal(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? "");
  return /AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|NoSuchBucket|NoSuchKey|MissingCredentials|MISSING_CREDENTIALS|INVALID/i.test(
    code,
  );
}
