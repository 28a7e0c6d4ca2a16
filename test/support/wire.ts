import { gunzipSync } from "node:zlib";

/** One request as it went over the wire, and the answer's status. */
export interface Exchange {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** Of the answer that the client got; 0 while there is none. */
  status: number;
  startedAtMs: number;
  endedAtMs: number;
}

export interface Wire extends AsyncDisposable {
  url: string;
  exchanges: Exchange[];
  /** The exchanges of a path, in order. */
  to(path: string): Exchange[];
  /** The next request to `path` is passed on, but its answer is withheld: the client gets `status` instead. */
  hideNextAnswer(path: string, status: number): void;
}

/** Stands between SDKs and a Weir, changes nothing, and remembers everything. */
export function tap(target: string): Wire {
  const exchanges: Exchange[] = [];
  const hidden = new Map<string, number>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request) {
      const url = new URL(request.url);
      const exchange: Exchange = {
        method: request.method,
        path: url.pathname,
        query: url.searchParams,
        headers: new Headers(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
        status: 0,
        startedAtMs: Date.now(),
        endedAtMs: 0,
      };
      exchanges.push(exchange);
      const headers = new Headers(request.headers);
      headers.delete("host");
      const answer = await fetch(target + url.pathname + url.search, {
        method: request.method,
        headers,
        body: request.method === "GET" ? undefined : exchange.body,
        decompress: false,
        redirect: "manual",
      });
      exchange.status = hidden.get(url.pathname) ?? answer.status;
      exchange.endedAtMs = Date.now();
      const isHidden = hidden.delete(url.pathname);
      if (isHidden) return new Response("withheld", { status: exchange.status });
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers: answer.headers });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    exchanges,
    to: (path) => exchanges.filter((exchange) => exchange.path === path),
    hideNextAnswer: (path, status) => hidden.set(path, status),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

type Properties = Record<string, unknown>;

/** An event as an SDK wrote it. */
export interface SentEvent {
  /** SDKs before 2023 leave it to the server. */
  uuid?: string;
  event: string;
  distinct_id?: string;
  timestamp?: string;
  /** Of browsers until 2024: so many milliseconds before the request. */
  offset?: number;
  properties: Properties;
  $set?: Properties;
  $set_once?: Properties;
}

export interface SentBatch {
  api_key: string;
  batch: SentEvent[];
  /** Absent in the oldest: then the times of events stand as they are. */
  sent_at?: string;
  historical_migration?: boolean;
}

/** What a body says, by its bytes alone: gzip, a form with base64, or JSON. */
export function decode(exchange: Exchange): unknown {
  const isGzip = exchange.body[0] === 0x1f && exchange.body[1] === 0x8b;
  const text = new TextDecoder().decode(isGzip ? gunzipSync(exchange.body) : exchange.body);
  if (!text.startsWith("data=")) return JSON.parse(text);
  return JSON.parse(Buffer.from(decodeURIComponent(text.slice("data=".length)), "base64").toString());
}

/** A body as a batch: browsers until 2025 sent one event alone, or a bare list, and said in the URL when. */
export function decodeBatch(exchange: Exchange): SentBatch {
  const body = decode(exchange) as SentBatch | SentEvent[] | SentEvent;
  if ("batch" in body) return body;
  const batch = Array.isArray(body) ? body : [body];
  const sentAtMs = Number(exchange.query.get("_"));
  return { api_key: String(batch[0]?.properties.token), batch, sent_at: new Date(sentAtMs).toISOString() };
}

/** A batch of `/i/v1/analytics/events` as its `/batch/` form: what the SDK moved into headers and options put back. */
export function decodeV1(exchange: Exchange): SentBatch {
  const { batch } = decode(exchange) as { batch: (SentEvent & { options?: { process_person_profile?: boolean } })[] };
  const [library, version] = exchange.headers.get("posthog-sdk-info")!.split("/");
  return {
    api_key: exchange.headers.get("authorization")!.replace("Bearer ", ""),
    sent_at: exchange.headers.get("posthog-request-timestamp")!,
    batch: batch.map(({ options, ...event }) => {
      const isPersonless = options?.process_person_profile === false;
      const moved = {
        $lib: library,
        $lib_version: version,
        ...(isPersonless ? { $process_person_profile: false } : {}),
      };
      return { ...event, properties: { ...event.properties, ...moved } };
    }),
  };
}
