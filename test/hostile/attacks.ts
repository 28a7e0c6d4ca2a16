import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Weir } from "../support/weir.ts";

const REQUEST_MS = 180_000;

/** `[{},{},…]`, small as it is sent. */
export function gzipBomb(items: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(`[${"{},".repeat(items - 1)}{}]`, { level: 9 }));
}

/** Sends a body so often over so many connections, one after the other on each; gives the statuses. */
export async function flood(o: {
  url: string;
  body: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  requests: number;
  connections: number;
}): Promise<number[]> {
  let left = o.requests;
  const statuses: number[] = [];
  const send = async () => {
    while (left-- > 0) {
      const response = await fetch(o.url, {
        method: "POST",
        body: o.body,
        headers: { "content-type": "application/json", ...o.headers },
        signal: AbortSignal.timeout(REQUEST_MS),
      }).catch(() => null);
      await response?.arrayBuffer().catch(() => {});
      statuses.push(response?.status ?? 0);
    }
  };
  await Promise.all(Array.from({ length: o.connections }, send));
  return statuses;
}

/** Connections that have declared a body and send nothing of it. */
export async function idleUploads(weir: Weir, count: number, declaredBytes: number): Promise<Socket[]> {
  const { hostname, port } = new URL(weir.url);
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.write(
          `POST /batch/ HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${declaredBytes}\r\n\r\n`,
        );
        resolve(socket);
      });
      // A server that closes it is what one hopes for.
      socket.on("error", () => {}).on("close", () => resolve(socket));
    });
  return Promise.all(Array.from({ length: count }, open));
}

/** A question in HogQL to a project; gives status and code of the answer. */
export async function askHogQL(
  weir: Weir,
  environmentId: number,
  query: string,
  refresh = "force_blocking",
): Promise<{ status: number; code: string | null }> {
  const response = await fetch(`${weir.url}/api/environments/${environmentId}/query/?refresh=${refresh}`, {
    method: "POST",
    headers: { authorization: `Bearer ${weir.personalKey}`, "content-type": "application/json" },
    body: JSON.stringify({ query: { kind: "HogQLQuery", query } }),
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  const text = await response.text();
  const code = response.status < 400 ? null : ((JSON.parse(text) as { code?: string }).code ?? null);
  return { status: response.status, code };
}

/** Asks for an answer and reads no more of it than its head. */
export async function slowReader(weir: Weir, path: string, body: object): Promise<Socket> {
  const { hostname, port } = new URL(weir.url);
  const text = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${weir.personalKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  await new Promise<void>((resolve) => {
    socket.once("data", () => {
      socket.pause();
      resolve();
    });
    socket.once("error", () => resolve());
  });
  return socket;
}

/** Each takes far more memory than a query may have. */
export const GREEDY: readonly string[] = [
  "select damerauLevenshteinDistance(repeat('ab', 20000), repeat('ba', 20000))",
  "select length(arrayStringConcat(arrayMap(x -> repeat('ab', 500000), range(100000))))",
  "select length(replaceAll(repeat('a', 1000000), 'a', repeat('b', 10000)))",
  "select length(replaceRegexpAll(repeat('a', 1000000), 'a', repeat('b', 10000)))",
  "select length(arrayMap(x -> range(1000000), range(1000000)))",
  "select quantile(0.5)(a.number * b.number) from numbers(1000000) a cross join numbers(1000000) b",
  `with ${Array.from({ length: 39 }, (_, i) => (i === 0 ? "t0 as (select repeat('ab', 1000) as x)" : `t${i} as (select concat(x, x) as x from t${i - 1})`)).join(", ")} select length(x) from t38`,
];
