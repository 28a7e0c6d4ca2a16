import { createHash } from "node:crypto";
import { assertOfBucket, measureFile, S3Answer } from "../../../bucket/mod.ts";
import { answerText, connectionProblem, guardedFetch, refusal } from "../../../outgoing/mod.ts";
import type { S3Config } from "./config.ts";

/** A signed address is for one request; a long upload may begin late. */
const SIGNED_FOR_S = 3600;
const TIMEOUT_MS = 60_000;
/** A slower upload counts as one that hangs. */
const SLOWEST_BYTES_PER_S = 256 * 1024;
const RECEIVER = "The bucket";
/** For answers with the status of a refusal that pass. */
const UNAVAILABLE = 503;

/**
 * A bucket. Addresses are signed by Bun's client and asked for by ours, which checks hosts and can be aborted. Errors: RetryableError
 * `destination_unavailable`, `host_unknown`; TerminalError `destination_refused`, `host_not_allowed`.
 */
export class Bucket {
  private readonly client: Bun.S3Client;

  constructor(
    config: S3Config,
    private readonly o: { allowPrivate: boolean },
  ) {
    const { bucket, region, accessKeyId, secretAccessKey, endpoint, isVirtualHosted } = config;
    this.client = new Bun.S3Client({
      ...{ bucket, region, accessKeyId, secretAccessKey },
      virtualHostedStyle: isVirtualHosted,
      endpoint: endpointOf(endpoint, { bucket, region, isVirtualHosted }),
    });
  }

  /** A file as an object, in one request; S3 checks its bytes. Replaces what the key had. */
  async putFile(key: string, path: string, bytes: number, signal: AbortSignal): Promise<void> {
    const timeoutMs = TIMEOUT_MS + (bytes / SLOWEST_BYTES_PER_S) * 1000;
    const md5 = createHash("md5");
    await measureFile(path, md5);
    const headers = { "Content-MD5": md5.digest("base64"), "Content-Length": String(bytes) };
    await this.request("PUT", key, { headers, body: Bun.file(path) }, { signal, timeoutMs });
  }

  async putText(key: string, text: string, signal: AbortSignal): Promise<void> {
    await this.request("PUT", key, { body: text }, { signal });
  }

  async has(key: string, signal: AbortSignal): Promise<boolean> {
    return (await this.request("HEAD", key, {}, { signal, mayLack: true })).status !== 404;
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.request("DELETE", key, {}, { signal, mayLack: true });
  }

  private async request(
    method: "PUT" | "HEAD" | "DELETE",
    key: string,
    init: RequestInit,
    o: { signal: AbortSignal; timeoutMs?: number; mayLack?: boolean },
  ): Promise<Response> {
    const url = this.client.presign(key, { method, expiresIn: SIGNED_FOR_S });
    const signal = AbortSignal.any([o.signal, AbortSignal.timeout(o.timeoutMs ?? TIMEOUT_MS)]);
    try {
      const response = await guardedFetch(url, { ...init, method, signal }, this.o);
      const text = await answerText(response);
      if (response.ok) {
        assertOfBucket(response);
        return response;
      }
      const answer = new S3Answer(response.status, text);
      if (o.mayLack === true && answer.isMissing(method)) return response;
      throw refusal(RECEIVER, answer.isRefusal || answer.status >= 500 ? answer.status : UNAVAILABLE, answer.detail);
    } catch (error) {
      o.signal.throwIfAborted();
      throw connectionProblem(RECEIVER, error);
    }
  }
}

/** Bun writes the bucket's name into the host only where it makes the whole address itself. */
function endpointOf(
  endpoint: string | null,
  { bucket, region, isVirtualHosted }: { bucket: string; region: string; isVirtualHosted: boolean },
): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return isVirtualHosted ? `${url.protocol}//${bucket}.${url.host}` : url.origin;
}
