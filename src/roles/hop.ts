import { describeError, networkOf, requestIdOf } from "../types/mod.ts";

/** Names the client's address to the api process; the front alone sets it. */
export const CLIENT_HEADER = "x-weir-client";

const WHOLE_MAX_BYTES = 64 * 1024;

/** Belong to a connection, not to a request. (`fetch` sets its own.) */
const OF_THE_CONNECTION = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"];

/** The answer while no api process listens on the socket. */
const UNAVAILABLE = {
  type: "server_error",
  code: "api_unavailable",
  detail: "The management API is starting. Please try again.",
  attr: null,
};

/** The answer for an address with too many requests without an answer. */
const TOO_MANY = {
  type: "server_error",
  code: "too_many_from_address",
  detail: "Too many requests of this address have no answer yet. Please try again.",
  attr: null,
};

interface HopOptions {
  /** Path of the api process's socket. */
  socket: string;
  /** Requests of one client address that have no answer yet; 0: no limit. */
  addressMax: number;
  log(message: string, requestId?: string): void;
}

/** The way from the front to the api process. */
export class Hop {
  /** Whether the api process was ready once. */
  private isMet = false;
  private readonly waitingOf = new Map<string, number>();

  constructor(private readonly options: HopOptions) {}

  /**
   * Hands a request on to the api process and its answer back, both as streams: the front holds as much of a body as its
   * connections' buffers do, however large it is and however slow either side. A client that goes away ends the request there, too.
   */
  async handOn(request: Request, clientIp: string | null): Promise<Response> {
    const address = networkOf(clientIp) ?? "";
    const waiting = this.waitingOf.get(address) ?? 0;
    const { addressMax } = this.options;
    if (addressMax > 0 && waiting >= addressMax) return refused(TOO_MANY);
    this.waitingOf.set(address, waiting + 1);
    try {
      return await this.pass(request, clientIp);
    } finally {
      const left = (this.waitingOf.get(address) ?? 0) - 1;
      if (left > 0) this.waitingOf.set(address, left);
      else this.waitingOf.delete(address);
    }
  }

  private async pass(request: Request, clientIp: string | null): Promise<Response> {
    const headers = new Headers(request.headers);
    for (const name of OF_THE_CONNECTION) headers.delete(name);
    headers.delete(CLIENT_HEADER);
    if (clientIp !== null) headers.set(CLIENT_HEADER, clientIp);
    const { method, body, signal } = request;
    const sent: RequestInit = { method, headers, body, signal, redirect: "manual" };
    try {
      const answer = method === "GET" ? await this.askTwice(request.url, sent) : await this.fetch(request.url, sent);
      const content = isShort(answer) && method !== "HEAD" ? await answer.arrayBuffer() : answer.body;
      return new Response(content, { status: answer.status, headers: answer.headers });
    } catch (error) {
      if (!signal.aborted) {
        this.options.log(`the api process does not answer: ${describeError(error)}`, requestIdOf(request));
      }
      return refused(UNAVAILABLE);
    }
  }

  /** Over a kept connection; where its process has died, again over a new one. For requests that may be sent twice. */
  private askTwice(url: string, sent: RequestInit): Promise<Response> {
    return this.fetch(url, { ...sent, keepalive: true }).catch((error) => {
      if (sent.signal?.aborted) throw error;
      return this.fetch(url, sent);
    });
  }

  /** Why this front is not ready: the api process was never ready so far. Its later deaths cost no event. Null when it was. */
  async refusal(): Promise<string | null> {
    if (!this.isMet) {
      this.isMet = await this.fetch("http://api/_readiness").then(
        ({ ok }) => ok,
        () => false,
      );
    }
    return this.isMet ? null : "the management API is being started";
  }

  private fetch(url: string, init: RequestInit = {}): Promise<Response> {
    return fetch(url, {
      // A kept connection may be of a process that has died meanwhile, and fail under a request that was not its own.
      keepalive: false,
      ...init,
      unix: this.options.socket,
      decompress: false,
      // The api process knows how long it may take.
      timeout: false,
    });
  }
}

/** Whether an answer costs less as a whole than as a stream. */
function isShort({ body, headers }: Response): boolean {
  return body !== null && Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY) <= WHOLE_MAX_BYTES;
}

function refused(body: object): Response {
  return Response.json(body, { status: 503, headers: { "Retry-After": "1" } });
}
