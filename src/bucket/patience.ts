import { describeError, RetryableError, TerminalError, WeirError } from "../types/mod.ts";

const ATTEMPTS = 9;
const FIRST_PAUSE_MS = 250;
/** A bucket that is well again is not left waiting for longer. */
const LONGEST_PAUSE_MS = 1_000;

/** These come with statuses of refusals, and pass: what came was cut off, changed on its way, or the server is busy. */
const PASSING_CODES = new Set([
  ...["RequestTimeout", "SlowDown", "InternalError", "ServiceUnavailable"],
  ...["BadDigest", "IncompleteBody", "OperationAborted"],
]);
const PASSING_STATUSES = new Set([408, 429]);

/** Bun's name for a list that was cut off on its way, or that another program has answered. */
const CUT_LIST = "InvalidResponse";

/** An answer that is no success. */
export class S3Answer extends Error {
  /** As S3 names it; empty where it does not. */
  readonly code: string;
  /** For people. */
  readonly detail: string;

  constructor(
    readonly status: number,
    text: string,
  ) {
    const [, code = ""] = /<Code>([^<]*)<\/Code>/.exec(text) ?? [];
    const [, message = ""] = /<Message>([^<]*)<\/Message>/.exec(text) ?? [];
    const detail = code === "" ? "" : `${code}${message === "" ? "" : ` (${message})`}`;
    super(`answer ${status}${detail === "" ? "" : `: ${detail}`}`);
    this.code = code;
    this.detail = detail;
  }

  /** Whether there is no such object. A page in between has no code; an answer to HEAD has no text to hold one. */
  isMissing(method: string): boolean {
    return this.status === 404 && (method === "HEAD" || (this.code !== "" && this.code !== "NoSuchBucket"));
  }

  get isRefusal(): boolean {
    return this.status < 500 && !PASSING_STATUSES.has(this.status) && !PASSING_CODES.has(this.code);
  }
}

/**
 * A success names the version of the object (ETag), or has no content where an object was removed. Another one is the page of a proxy or of a login,
 * and nothing was read or written.
 */
export function assertOfBucket({ headers, status }: Response): void {
  if (status === 204 || headers.has("etag")) return;
  throw new Error(`answer ${status}, but of no bucket: it has no ETag`);
}

/** Tries again after failures that may pass. Throws TerminalError `s3_refused`, RetryableError `s3_unreachable`. */
export async function patiently<T>(what: string, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1, pauseMs = FIRST_PAUSE_MS; ; attempt++, pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof WeirError) throw error;
      const problem = `${what}: ${describeError(error)}`;
      if (isRefusal(error)) throw new TerminalError("s3_refused", problem);
      if (attempt === ATTEMPTS) throw new RetryableError("s3_unreachable", problem);
      await Bun.sleep(pauseMs);
    }
  }
}

function isRefusal(error: unknown): boolean {
  if (error instanceof S3Answer) return error.isRefusal;
  // Of Bun's client.
  const code = String((error as { code?: unknown }).code ?? "");
  return (
    code !== CUT_LIST &&
    /AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|NoSuchBucket|MISSING_CREDENTIALS|INVALID/i.test(code)
  );
}
