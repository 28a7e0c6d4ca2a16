import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { S3Client } from "bun";
import { TerminalError, UsageError } from "../types/mod.ts";
import { measureFile } from "./measure.ts";
import { assertOfBucket, patiently, S3Answer } from "./patience.ts";
import { Slots } from "./slots.ts";

const PIECE_BYTES = 8 << 20;
const PAGE_OBJECTS = 1_000;
const REQUESTS_AT_ONCE = 32;
/** A signed address is for one request; a long upload may begin late. */
const SIGNED_FOR_S = 3600;
const TIMEOUT_MS = 60_000;
/** A slower upload counts as one that hangs. */
const SLOWEST_BYTES_PER_S = 256 * 1024;
/** S3 takes at most 5 GiB in one request; what is larger goes in parts. */
const WHOLE_MAX_BYTES = 1 << 30;

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
 * A bucket of S3 or of what speaks like it, for what an operator names. Addresses are signed by Bun's client and asked for here, so that a
 * request that hangs can be ended. Failures that may pass are tried again for some seconds; then RetryableError `s3_unreachable`.
 * TerminalError `s3_refused` where the server says no.
 */
export class Bucket {
  private readonly client: S3Client;
  /** Null: Amazon's. */
  private readonly endpoint: string | null;
  private readonly slots = new Slots(REQUESTS_AT_ONCE);

  private constructor(
    readonly name: string,
    /** As it stands in the address: what every key of `list` begins with. */
    readonly prefix: string,
    { endpoint, env }: BucketOptions,
  ) {
    const of = (name: string) => env[`AWS_${name}`] || env[`S3_${name}`] || undefined;
    this.endpoint = endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? of("ENDPOINT_URL") ?? of("ENDPOINT") ?? null;
    this.client = new S3Client({
      bucket: name,
      endpoint: this.endpoint ?? undefined,
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

  /** The prefix as a folder: what keys below it begin with. */
  get folder(): string {
    return this.prefix === "" || this.prefix.endsWith("/") ? this.prefix : `${this.prefix}/`;
  }

  /** Whether the folder of one lies in that of the other. */
  overlaps(other: Bucket): boolean {
    const server = ({ endpoint }: Bucket) => endpoint?.replace(/\/+$/, "") ?? null;
    const isSameBucket = this.name === other.name && server(this) === server(other);
    return isSameBucket && (this.folder.startsWith(other.folder) || other.folder.startsWith(this.folder));
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

  has(key: string): Promise<boolean> {
    return this.ask("HEAD", key, {}, async (response) => response !== null);
  }

  /** The bytes of an object of this size, some MiB at a time. */
  async *pieces(
    key: string,
    { sizeBytes, signal }: { sizeBytes: number; signal?: AbortSignal },
  ): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < sizeBytes; at += PIECE_BYTES) {
      signal?.throwIfAborted();
      const end = Math.min(sizeBytes, at + PIECE_BYTES);
      const headers = { Range: `bytes=${at}-${end - 1}` };
      yield await this.ask("GET", key, { headers }, async (response) => {
        if (response === null) throw new TerminalError("s3_refused", `${this.nameOf(key)} is gone`);
        const bytes = await response.bytes();
        if (bytes.length === end - at) return bytes;
        throw new Error(`${bytes.length} bytes came instead of ${end - at}`);
      });
    }
  }

  /** Null when there is none. */
  text(key: string): Promise<string | null> {
    return this.ask("GET", key, {}, async (response) => response?.text() ?? null);
  }

  /**
   * Brings an object into a new file of this machine; gives its size, or null when there is no object. The size is compared, and the
   * checksum where `writeFile` has written the object.
   */
  fetchFile(key: string, path: string): Promise<number | null> {
    return this.ask("GET", key, {}, async (response, alive) => {
      if (response === null) return null;
      await save(response, path, alive);
      const { sizeBytes, checksum } = await measureFile(path);
      const length = response.headers.get("content-length");
      if (length !== null && Number(length) !== sizeBytes) throw new Error(`${sizeBytes} bytes came of ${length}`);
      const [, wanted = checksum] = CHECKSUM.exec(response.headers.get("content-type") ?? "") ?? [];
      if (wanted !== checksum) throw new Error(`its checksum is ${checksum} and not ${wanted}`);
      return sizeBytes;
    });
  }

  async writeText(key: string, text: string): Promise<void> {
    await this.ask("PUT", key, { body: () => text }, nothing);
  }

  /**
   * A file of this machine as an object, which appears whole or not at all. The server checks its bytes (Content-MD5). The media type
   * carries the checksum, because every server keeps that.
   */
  async writeFile(key: string, path: string): Promise<void> {
    const md5 = createHash("md5");
    const { sizeBytes, checksum } = await measureFile(path, md5);
    const type = `application/octet-stream;xxh64=${checksum}`;
    if (sizeBytes > WHOLE_MAX_BYTES) return this.writeParts(key, { path, sizeBytes, type });
    const headers = { "Content-Type": type, "Content-Length": String(sizeBytes), "Content-MD5": md5.digest("base64") };
    await this.ask("PUT", key, { headers, body: () => Bun.file(path), sizeBytes }, nothing);
  }

  async remove(key: string): Promise<void> {
    await this.ask("DELETE", key, {}, nothing);
  }

  private async writeParts(key: string, file: { path: string; sizeBytes: number; type: string }): Promise<void> {
    const { path, sizeBytes, type } = file;
    await patiently(this.nameOf(key), async () => {
      await this.client.write(key, Bun.file(path), { type });
      const { size } = await this.client.stat(key);
      if (size !== sizeBytes) throw new Error(`${size} bytes were stored of ${sizeBytes}`);
    });
  }

  /**
   * `use` is given the answer, or null where there is no such object; it calls `alive` while bytes come. The address of a request holds a
   * signature, so no message may name it.
   */
  private ask<T>(
    method: "GET" | "PUT" | "HEAD" | "DELETE",
    key: string,
    { headers, body, sizeBytes = 0 }: { headers?: HeadersInit; body?: () => BodyInit; sizeBytes?: number },
    use: (response: Response | null, alive: () => void) => Promise<T>,
  ): Promise<T> {
    const timeoutMs = TIMEOUT_MS + (sizeBytes / SLOWEST_BYTES_PER_S) * 1000;
    const once = async () => {
      const over = new AbortController();
      const end = () => over.abort(new Error(`nothing came for ${Math.round(timeoutMs / 1000)} s`));
      const timer = setTimeout(end, timeoutMs);
      try {
        const url = this.client.presign(key, { method, expiresIn: SIGNED_FOR_S });
        const init = { method, signal: over.signal, ...(headers && { headers }), ...(body && { body: body() }) };
        const response = await fetch(url, init);
        if (response.ok) {
          assertOfBucket(response);
          return await use(response, () => timer.refresh());
        }
        const answer = new S3Answer(response.status, await response.text());
        if (method !== "PUT" && answer.isMissing(method)) return await use(null, () => {});
        throw answer;
      } finally {
        clearTimeout(timer);
      }
    };
    return patiently(this.nameOf(key), () => this.slots.use(once));
  }
}

const CHECKSUM = /;\s*xxh64="?([0-9a-f]{16})/;

/** The connection is free for the next request when the answer was read. */
async function nothing(response: Response | null): Promise<void> {
  await response?.arrayBuffer();
}

async function save(response: Response, path: string, alive: () => void): Promise<void> {
  const handle = await open(path, "w", 0o600);
  try {
    for await (const bytes of response.body ?? []) {
      alive();
      await handle.writeFile(bytes);
    }
    // With its name it must be whole, also after a loss of power.
    await handle.sync();
  } finally {
    await handle.close();
  }
}
