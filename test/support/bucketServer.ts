import { createHash } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** What a request meets instead of its answer. */
export type Fault =
  /** 503 before anything is done. */
  | "busy"
  /** 403: the key has no right any more. */
  | "denied"
  /** 507: there is no room. */
  | "full"
  /** Everything is done, and the connection ends without an answer. */
  | "lost"
  /** Done, and then answered 500. */
  | "failed late"
  /** The connection ends before an upload is read; of a download half of the bytes come. */
  | "cut off"
  /** A download whose bytes have changed on their way. */
  | "changed"
  /** Done after a while. */
  | "slow"
  /** A proxy answers with a page of its own, as where somebody must log in: 200, or 404 from one that knows no such path. */
  | "page"
  | "lost page"
  /** Half of a list, as if that were all. */
  | "cut list";

const SLOW_MS = 300;
const PAGE_OF_PROXY = { headers: { "Content-Type": "text/html" }, body: "<html><body>Log in first.</body></html>" };
const PAGE = /^\/([^/]+)\/?$/;
const OBJECT = /^\/([^/]+)\/(.+)$/;

interface Stored {
  bytes: Uint8Array;
  type: string;
  changedAtMs: number;
}

interface Answer {
  status?: number;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
  /** The connection ends in the middle of the body. */
  isCutOff?: boolean;
}

/**
 * A bucket that speaks as S3 does, with objects in memory: each one appears whole, and can be read once its PUT was answered. s3rver shows a file
 * while it is written, checks no MD5, and fails as it likes. `faults` decides what a request meets.
 */
export class BucketServer {
  readonly objects = new Map<string, Stored>();
  /** Requests by method. */
  readonly seen: Record<string, number> = {};
  faults: (request: { method: string; key: string }) => Fault | null = () => null;
  readonly accessKeyId = "KEY0123456789";
  readonly secretAccessKey = "secret/that+nobody+may+see";
  private readonly server: Server;

  private constructor(readonly name: string) {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  static async start(name = "lake"): Promise<BucketServer> {
    const started = new BucketServer(name);
    await new Promise<void>((resolve) => started.server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** For `Bucket.at`. */
  get env() {
    return { AWS_ACCESS_KEY_ID: this.accessKeyId, AWS_SECRET_ACCESS_KEY: this.secretAccessKey };
  }

  /** For the processes of a Weir. */
  get settings() {
    return {
      WEIR_STORE_URL: `s3://${this.name}/segments`,
      WEIR_STORE_ENDPOINT: this.endpoint,
      WEIR_STORE_ACCESS_KEY_ID: this.accessKeyId,
      WEIR_STORE_SECRET_ACCESS_KEY: this.secretAccessKey,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answer(request);
    if (answer === null) {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body = "", isCutOff = false } = answer;
    const bytes = Buffer.from(body);
    response.writeHead(status, { "Content-Length": bytes.length, ...headers });
    if (!isCutOff) response.end(bytes);
    else response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
  }

  /** Null: the connection ends. */
  private async answer(request: IncomingMessage): Promise<Answer | null> {
    const { method = "GET", headers } = request;
    const url = new URL(request.url!, "http://bucket");
    this.seen[method] = (this.seen[method] ?? 0) + 1;
    const signed = url.searchParams.get("X-Amz-Credential") ?? headers.authorization ?? "";
    if (!signed.includes(this.accessKeyId)) return refused(403, "InvalidAccessKeyId");
    const [, bucket = "", key = ""] = OBJECT.exec(decodeURIComponent(url.pathname)) ?? PAGE.exec(url.pathname) ?? [];
    if (bucket !== this.name) return refused(404, "NoSuchBucket");
    const fault = this.faults({ method, key });
    if (fault === "busy") return refused(503, "SlowDown");
    if (fault === "denied") return refused(403, "AccessDenied");
    if (fault === "full") return refused(507, "InsufficientStorage");
    if (fault === "cut off" && method !== "GET") return null;
    if (fault === "page") return PAGE_OF_PROXY;
    if (fault === "lost page") return { ...PAGE_OF_PROXY, status: 404 };
    if (fault === "slow") await Bun.sleep(SLOW_MS);
    if (key === "") return fault === "cut list" ? half(this.list(url.searchParams)) : this.list(url.searchParams);
    const answer = method === "PUT" ? await this.put(key, request) : this.read(method, key, headers.range, fault);
    if (fault === "lost") return null;
    return fault === "failed late" ? refused(500, "InternalError") : answer;
  }

  private async put(key: string, request: IncomingMessage): Promise<Answer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { "content-md5": md5, "content-length": length, "content-type": type } = request.headers;
    if (bytes.length !== Number(length)) return refused(400, "IncompleteBody");
    if (md5 !== undefined && createHash("md5").update(bytes).digest("base64") !== md5) return refused(400, "BadDigest");
    this.objects.set(key, { bytes, type: type ?? "binary/octet-stream", changedAtMs: Date.now() });
    return { headers: { ETag: etagOf(bytes) } };
  }

  private read(method: string, key: string, range: string | undefined, fault: Fault | null): Answer {
    const found = this.objects.get(key);
    if (method === "DELETE") {
      this.objects.delete(key);
      return { status: 204 };
    }
    if (found === undefined) return refused(404, "NoSuchKey");
    const { bytes, type } = found;
    const headers = { "Content-Type": type, ETag: etagOf(bytes) };
    if (method === "HEAD") return { headers: { ...headers, "Content-Length": bytes.length } };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    const wanted = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    const body = fault === "changed" ? wanted.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) : wanted;
    return { status: from === undefined ? 200 : 206, headers, body, isCutOff: fault === "cut off" };
  }

  /** All in one page. */
  private list(asked: URLSearchParams): Answer {
    const prefix = asked.get("prefix") ?? "";
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const contents = keys.map((key) => {
      const { bytes, changedAtMs } = this.objects.get(key)!;
      const time = new Date(changedAtMs).toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${time}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
    const text = `<Name>${this.name}</Name><IsTruncated>false</IsTruncated>${contents.join("")}`;
    return {
      headers: { "Content-Type": "application/xml" },
      body: `<?xml version="1.0"?><ListBucketResult>${text}</ListBucketResult>`,
    };
  }
}

const half = ({ body = "", ...answer }: Answer): Answer => ({ ...answer, body: body.slice(0, body.length >> 1) });

const etagOf = (bytes: Uint8Array): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

const refused = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>as the test has it</Message></Error>`,
});
