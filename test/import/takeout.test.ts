import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Api } from "../../src/import/api/mod.ts";
import {
  checkTakeout,
  filesOf,
  type Manifest,
  openTakeout,
  readTakeoutObjects,
  writeTakeout,
} from "../../src/import/takeout/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { type DoubleRow, type DownloadDouble, startDownloadDouble } from "./downloadDouble.ts";

const DAY_MS = 86_400_000;
let server: ManageServer;
let double: DownloadDouble;
let root: string;
let project: string;
/** Three weeks of them. */
let events: DoubleRow[];
let persons: DoubleRow[];

beforeAll(async () => {
  server = await startManage();
  server.nowMs = Date.now() - 20 * DAY_MS;
  const made = await server.send("POST", "/api/projects/", { body: { name: "source" } });
  project = String((made.json as { id: number }).id);
  const at = (i: number) => new Date(server.nowMs + 3_600_000 + i * 0.8 * DAY_MS).toISOString();
  events = Array.from({ length: 24 }, (_, i) => ({ uuid: crypto.randomUUID(), event: `e${i}`, created_at: at(i) }));
  persons = Array.from({ length: 5 }, (_, i) => ({ distinct_id: `d${i}`, person_id: `p${i}`, created_at: at(i * 3) }));
  double = startDownloadDouble({ rows: { events, persons }, behind: server.url });
  root = mkdtempSync(join(tmpdir(), "weir-takeout-"));
  await server.send("POST", `/api/projects/${project}/insights/`, {
    body: { name: "mine", saved: true, query: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "e1" }] } },
  });
});
afterAll(async () => {
  await double.stop();
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

interface Running {
  signal?: AbortSignal;
  tell?: () => void;
}
function take(
  folder: string,
  { signal = new AbortController().signal, tell = () => {} }: Running = {},
): Promise<Manifest> {
  const api = new Api({ url: double.url, key: server.key, project }, undefined, 1);
  const wish = { folder, format: "JSONLines" as const, fromMs: null, toMs: null };
  return writeTakeout(api, wish, { signal, tell });
}

function uuidsIn(folder: string, manifest: Manifest): unknown[] {
  return filesOf(manifest, "events").flatMap(({ name, records }) => {
    const lines = gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(records);
    return lines.map((line) => JSON.parse(line).uuid);
  });
}

describe("a project in a folder", () => {
  test("has every row once, by weeks, and its key is shown to the API alone", async () => {
    const folder = join(root, "whole");
    const manifest = await take(folder);
    expect(manifest.counts).toEqual({ events: 24, persons: 5 });
    expect(uuidsIn(folder, manifest)).toEqual(events.map(({ uuid }) => uuid));
    expect(double.keysShown).toBe(0);
    await checkTakeout(folder, openTakeout(folder));
    const { objects } = readTakeoutObjects(folder, manifest);
    expect(objects.insight.map(({ body }) => body.name)).toEqual(["mine"]);
  });

  test("asks for nothing of it again in a second run", async () => {
    const folder = join(root, "whole");
    const before = double.asked.length;
    await take(folder);
    expect(double.asked.length).toBe(before);
  });

  test("goes on where it was ended, wherever that was", async () => {
    for (let end = 1; end <= 8; end += 1) {
      const folder = join(root, `ended ${end}`);
      const ending = new AbortController();
      let told = 0;
      const tell = () => {
        if (++told === end) ending.abort(new Error("ended"));
      };
      await take(folder, { signal: ending.signal, tell }).catch(() => null);
      mkdirSync(join(folder, "events"), { recursive: true });
      writeFileSync(join(folder, "events", "of-an-earlier-try.jsonl.gz"), "");
      const manifest = await take(folder);
      expect(uuidsIn(folder, manifest).sort()).toEqual(events.map(({ uuid }) => uuid).sort());
      const names = filesOf(manifest, "events").map(({ name }) => name.replace("events/", ""));
      expect(readdirSync(join(folder, "events")).sort()).toEqual(names.sort());
    }
  });

  test("is refused where the folder has files of others", async () => {
    const folder = join(root, "mine");
    mkdirSync(join(folder, "objects"), { recursive: true });
    writeFileSync(join(folder, "objects", "notes.txt"), "mine");
    await expect(take(folder)).rejects.toThrow("is not empty, and has no export");
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["objects", join("objects", "notes.txt")]);
  });

  test("is refused where a file is not what it was, or the folder has another project", async () => {
    const folder = join(root, "whole");
    const [file] = filesOf(openTakeout(folder), "events");
    const path = join(folder, file!.name);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, -1), Buffer.from("x")]));
    await expect(checkTakeout(folder, openTakeout(folder))).rejects.toThrow("is not as it was exported");
    writeFileSync(path, bytes);
    const other = new Api({ url: double.url, key: server.key, project: "1" }, undefined, 1);
    const wish = { folder, format: "JSONLines" as const, fromMs: null, toMs: null };
    const asked = writeTakeout(other, wish, { signal: new AbortController().signal, tell: () => {} });
    await expect(asked).rejects.toThrow("has another export");
  });
});
