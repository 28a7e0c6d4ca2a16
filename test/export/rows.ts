import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DestinationEnv, Part, RunRange } from "../../src/export/model.ts";

export const NEVER = new AbortController().signal;

export const RANGE: RunRange = {
  exportId: "0198b0f0-0000-7000-8000-000000000001",
  teamId: 7,
  model: "events",
  fromMs: Date.UTC(2026, 0, 1),
  toMs: Date.UTC(2026, 0, 1, 1),
};

export const envOf = (folder: string): DestinationEnv => ({
  folder,
  allowedFolders: [],
  allowPrivate: true,
  log: () => {},
});

/** A part of lines, as files of the model have them. */
export function partOf(folder: string, number: number, rows: readonly (object | string)[]): Part {
  const path = join(folder, `part-${number}`);
  const text = rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");
  writeFileSync(path, text);
  return { number, path, bytes: Buffer.byteLength(text), records: rows.length };
}

export const uuidOf = (n: number): string => `0198b0f0-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A line of the events model; properties as text, so that every digit counts. */
export function eventLine(n: number, o: { properties?: string; chain?: string; distinctId?: string } = {}): string {
  const { properties = `{"n":${n}}`, chain = "", distinctId = `user-${n % 10}` } = o;
  return `{"uuid":"${uuidOf(n)}","event":"seen","distinct_id":${JSON.stringify(distinctId)},"person_id":"${uuidOf(1)}","properties":${properties},"person_properties":{},"elements_chain":${JSON.stringify(chain)},"timestamp":"2026-01-01T00:00:0${n % 10}.123000Z","created_at":"2026-01-01T00:10:00.000000Z","_inserted_at":"2026-01-01T00:10:00.000000Z"}`;
}

/** A server whose answers have this status and never end; `pieces`: how many of 16 KB it was asked for so far. */
export function endless(status: number) {
  const seen = { pieces: 0, ended: 0 };
  const piece = Buffer.alloc(16 * 1024, "x");
  const body = () =>
    new ReadableStream({
      pull(stream) {
        seen.pieces++;
        stream.enqueue(piece);
      },
      cancel() {
        seen.ended++;
      },
    });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body(), { status }) });
  return { url: `http://127.0.0.1:${server.port}`, seen, [Symbol.dispose]: () => void server.stop(true) };
}
