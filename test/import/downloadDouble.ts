import { gzipSync } from "node:zlib";
import type { Server } from "bun";

/** A row of a model, as JSON lines have it. */
export type DoubleRow = Record<string, unknown>;

export interface DownloadDouble {
  url: string;
  /** What it was asked, in order. */
  asked: { model: string; data_interval_start: string; data_interval_end: string }[];
  /** Requests for files that came with a key, to the place that a redirect named. */
  keysShown: number;
  stop(): Promise<void>;
}

interface DoubleOptions {
  /** By model: rows with `created_at`. */
  rows: Record<string, readonly DoubleRow[]>;
  /** The management API that answers everything else. */
  behind: string;
  /** Rows of a part. */
  rowsAPart?: number;
  /** Whether each file is on another host, and each first answer of it ends early. */
  isHard?: boolean;
}

/**
 * Answers the paths of file downloads as PostHog documents them (202 with an id; `Starting`, `Running`, `Completed` with files; a
 * redirect to a link that a key must not be shown to), with packed lines of JSON. A week at most, nothing of the future, one at a time.
 */
export function startDownloadDouble({ rows, behind, rowsAPart = 3, isHard = true }: DoubleOptions): DownloadDouble {
  const runs = new Map<string, { parts: Uint8Array<ArrayBuffer>[]; polls: number }>();
  const cut = new Set<string>();
  let requests = 0;
  const file = (id: string, part: number): Response => {
    const bytes = runs.get(id)?.parts[part];
    if (bytes === undefined) return new Response("no such file", { status: 404 });
    const name = `${id}/${part}`;
    if (!isHard || cut.has(name)) return new Response(bytes);
    cut.add(name);
    return new Response(endingEarly(bytes));
  };
  const store: Server<undefined> = Bun.serve({
    port: 0,
    fetch(request) {
      if (request.headers.has("authorization")) double.keysShown++;
      const [, id = "", part = ""] = new URL(request.url).pathname.split("/");
      return file(id, Number(part));
    },
  });
  const api: Server<undefined> = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const [, path] = /^\/api\/projects\/\d+\/file_download_batch_exports\/(.*)$/.exec(pathname) ?? [];
      // PostHog has no such path.
      if (pathname.endsWith("/ingestion_status/")) return Response.json({ detail: "Not found." }, { status: 404 });
      if (path === undefined) {
        const body = request.method === "GET" ? undefined : await request.text();
        return fetch(behind + pathname + search, { method: request.method, headers: request.headers, body });
      }
      if (request.method === "POST") {
        if (isHard && requests++ % 3 === 0) {
          return Response.json({ detail: "Too many." }, { status: 429, headers: { "Retry-After": "0" } });
        }
        return start(await request.json());
      }
      const [id = "", , part = "0"] = path.split("/");
      const run = runs.get(id);
      if (run === undefined) return Response.json({ detail: "Not found." }, { status: 404 });
      if (path.includes("/download")) {
        return isHard ? Response.redirect(`http://127.0.0.1:${store.port}/${id}/${part}`, 302) : file(id, Number(part));
      }
      run.polls++;
      if (isHard && runs.size === 2) return Response.json({ status: "FailedRetryable", error: "it was restarted" });
      if (isHard && run.polls < 3) return Response.json({ status: run.polls === 1 ? "Starting" : "Running" });
      return Response.json({ status: "Completed", files: run.parts.map(() => crypto.randomUUID()) });
    },
  });
  const start = (body: Body): Response => {
    const { model, data_interval_start: from, data_interval_end: to } = body;
    double.asked.push({ model, data_interval_start: from, data_interval_end: to });
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
    if (toMs - fromMs > 7 * 86_400_000)
      return Response.json({ detail: "data interval range too big" }, { status: 400 });
    if (toMs > Date.now()) return Response.json({ detail: "data_interval_end is in the future" }, { status: 400 });
    const wanted = (rows[model] ?? []).filter((row) => {
      const at = Date.parse(String(row.created_at));
      return at >= fromMs && at < toMs;
    });
    const size = body.file.max_size_mb === null ? Math.max(1, wanted.length) : rowsAPart;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let i = 0; i < wanted.length; i += size) {
      const lines = wanted.slice(i, i + size).map((row) => `${JSON.stringify(row)}\n`);
      parts.push(gzipSync(lines.join("")) as Uint8Array<ArrayBuffer>);
    }
    const id = crypto.randomUUID();
    runs.set(id, { parts, polls: 0 });
    return Response.json({ id }, { status: 202 });
  };
  const double: DownloadDouble = {
    url: `http://127.0.0.1:${api.port}`,
    asked: [],
    keysShown: 0,
    async stop() {
      await api.stop(true);
      await store.stop(true);
    },
  };
  return double;
}

interface Body {
  model: string;
  data_interval_start: string;
  data_interval_end: string;
  file: { format: string; compression: string | null; max_size_mb: number | null };
}

/** As a proxy that gives up: nothing in the answer tells how long it should have been. */
function endingEarly(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, bytes.length >> 1));
      controller.close();
    },
  });
}
