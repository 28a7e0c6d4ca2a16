import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { REPO } from "../commands/weirProcess.ts";
import { freePort, HANG_MS, until } from "../support/processes.ts";

/** What a request meets on its way to the bucket. */
export type BucketFault =
  /** 503 before anything is done. */
  | "busy"
  /** An upload is answered 507. */
  | "full"
  /** Half of an upload or of a download gets through, then the connection ends. */
  | "cut off"
  /** It gets through after a while. */
  | "slow";

const SLOW_MS = 1_500;
const SAID_LINES = 40;
const STILL_MS = 3_000;
const STILL_MAX_MS = 120_000;
const BUCKET = "weir";
/** s3rver's only one. */
const KEY = "S3RVER";
const PROGRAM = join(REPO, "node_modules", "s3rver", "bin", "s3rver.js");
const ON_BUN = join(import.meta.dir, "s3rverOnBun.ts");

/** s3rver as a process of its own, and the way to it, which fails as `fault` says. */
export class BucketGateway {
  fault: BucketFault | null = null;
  /** Requests that met a fault since it was set, by method. */
  met: Record<string, number> = {};
  private readonly way: Server;
  private s3: Bun.Subprocess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly s3Port: number,
  ) {
    this.way = createServer((asked, answer) => void this.pass(asked, answer));
  }

  static async start(folder: string): Promise<BucketGateway> {
    const gateway = new BucketGateway(folder, await freePort(), await freePort());
    mkdirSync(folder, { recursive: true });
    await new Promise<void>((resolve) => gateway.way.listen(gateway.port, "127.0.0.1", resolve));
    await gateway.startServer();
    return gateway;
  }

  /** For the processes of a Weir. */
  get settings(): Record<string, string> {
    return {
      WEIR_STORE_URL: `s3://${BUCKET}/segments`,
      WEIR_STORE_ENDPOINT: `http://127.0.0.1:${this.port}`,
      WEIR_STORE_REGION: "us-east-1",
      WEIR_STORE_ACCESS_KEY_ID: KEY,
      WEIR_STORE_SECRET_ACCESS_KEY: KEY,
    };
  }

  /** Of the s3rver that runs. */
  private get logPath(): string {
    return `${this.folder}.log`;
  }

  /** Waits until no object comes or goes: s3rver lists nothing while one that it has just seen is removed. */
  async untilStill(): Promise<void> {
    let [files, since] = [-1, 0];
    await until("the bucket to be still", STILL_MAX_MS, () => {
      const now = readdirSync(this.objects).length;
      if (now !== files) [files, since] = [now, performance.now()];
      return performance.now() - since > STILL_MS;
    });
  }

  /** What it said last, and which of its files it may not be able to list. */
  async describe(): Promise<string> {
    const said = (await Bun.file(this.logPath).text()).split("\n").slice(-SAID_LINES);
    return [...said, ...this.halves()].join("\n");
  }

  /** Where s3rver has the objects of the segments as files. */
  get objects(): string {
    return join(this.folder, BUCKET, "segments");
  }

  set(fault: BucketFault | null): void {
    this.fault = fault;
    this.met = {};
  }

  async startServer(): Promise<void> {
    this.removeHalves();
    const address = ["-a", "127.0.0.1", "-p", String(this.s3Port)];
    const options = ["-d", this.folder, ...address, "--configure-bucket", BUCKET];
    const log = Bun.file(this.logPath);
    this.s3 = Bun.spawn([process.execPath, "--preload", ON_BUN, PROGRAM, ...options], {
      stdout: "ignore",
      stderr: log,
    });
    await until("the S3 server", HANG_MS, () =>
      fetch(`http://127.0.0.1:${this.s3Port}/`).then(
        () => true,
        () => false,
      ),
    );
  }

  /** A killed s3rver leaves objects without what it writes beside them, and lists nothing any more; S3 shows a whole object or none. */
  private removeHalves(): void {
    for (const name of this.halves()) rmSync(join(this.objects, name));
  }

  private halves(): string[] {
    if (!existsSync(this.objects)) return [];
    return readdirSync(this.objects).filter((name) => {
      const [, key] = /^(.+)\._S3rver_/.exec(name) ?? [];
      const isWhole = ["object", "object.md5", "metadata.json"].every((part) => {
        const path = join(this.objects, `${key}._S3rver_${part}`);
        return existsSync(path) && (part === "object" || statSync(path).size > 0);
      });
      return !isWhole;
    });
  }

  async killServer(): Promise<void> {
    this.s3?.kill("SIGKILL");
    await this.s3?.exited;
  }

  async close(): Promise<void> {
    this.way.closeAllConnections();
    await new Promise((resolve) => this.way.close(resolve));
    await this.killServer();
  }

  private async pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "GET" } = asked;
    const { fault } = this;
    const isMet = fault !== null && (fault !== "full" || method === "PUT");
    if (!isMet) return this.forward(asked, answer, false);
    this.met[method] = (this.met[method] ?? 0) + 1;
    if (fault === "busy") return refuse(asked, answer, 503, "SlowDown");
    if (fault === "full") return refuse(asked, answer, 507, "InsufficientStorage");
    if (fault === "slow") await Bun.sleep(SLOW_MS);
    this.forward(asked, answer, fault === "cut off");
  }

  private forward(asked: IncomingMessage, answer: ServerResponse, isCutOff: boolean): void {
    const { method, url: path, headers } = asked;
    const onward = request({ host: "127.0.0.1", port: this.s3Port, method, path, headers }, (got) => {
      answer.writeHead(got.statusCode!, got.headers);
      const length = Number(got.headers["content-length"] ?? 0);
      if (isCutOff) half(got, length, answer, () => answer.destroy());
      else got.pipe(answer);
      got.on("error", () => answer.destroy());
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    const length = Number(headers["content-length"] ?? 0);
    if (!isCutOff || length === 0) {
      asked.pipe(onward);
      return;
    }
    half(asked, length, onward, () => {
      onward.destroy();
      asked.socket.destroy();
    });
  }
}

/** Hands on the first half of a body, and then `over`. */
function half(
  from: IncomingMessage,
  length: number,
  to: { write(bytes: Uint8Array): unknown },
  over: () => void,
): void {
  let left = Math.floor(length / 2);
  from.on("data", (bytes: Uint8Array) => {
    if (left > 0) to.write(bytes.subarray(0, left));
    left -= bytes.length;
    // What was written is on its way by then.
    if (left <= 0) setTimeout(over, 5);
  });
  from.on("end", over);
}

function refuse(asked: IncomingMessage, answer: ServerResponse, status: number, code: string): void {
  asked.resume();
  asked.on("end", () => {
    answer.writeHead(status, { "Content-Type": "application/xml" });
    answer.end(`<Error><Code>${code}</Code><Message>as the test has it</Message></Error>`);
  });
}
