import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sql } from "../lake/support.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { EXPORTING, startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir({ env: EXPORTING });
});
afterAll(() => weir[Symbol.asyncDispose]());

interface Seen {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many routes
  json: any;
}

const api = (method: string, path: string, body?: unknown): Promise<Seen> =>
  weir.manage(method, `/api/projects/${weir.environmentId}/${path}`, body) as Promise<Seen>;

const events = (count: number, name = "seen") =>
  Array.from({ length: count }, (_, i) => ({
    event: name,
    uuid: crypto.randomUUID(),
    distinct_id: `user-${i % 5}`,
    timestamp: new Date(Date.UTC(2025, 0, 1 + (i % 20))).toISOString(),
    properties: { i, text: `é "${i}"`, $set: { plan: `p${i % 5}` } },
  }));

/** Makes files of everything that was accepted until now, and gives their bytes. */
async function download(wish: object): Promise<Uint8Array[]> {
  const made = await api("POST", "file_download_batch_exports/", wish);
  expect(made).toMatchObject({ status: 202 });
  const state = await until("the files", HANG_MS, async () => {
    const { json } = await api("GET", `file_download_batch_exports/${made.json.id}/`);
    return ["Starting", "Running"].includes(json.status) ? null : json;
  });
  expect(state).toMatchObject({ status: "Completed" });
  const files: Uint8Array[] = [];
  for (const file of state.files) {
    const response = await weir.api(`/file_download_batch_exports/${made.json.id}/download/${file}/`);
    expect(response.status).toBe(200);
    files.push(new Uint8Array(await response.arrayBuffer()));
  }
  return files;
}

const soFar = () => ({ data_interval_start: "2020-01-01T00:00:00Z", data_interval_end: new Date().toISOString() });

describe("a file download", () => {
  beforeAll(() => weir.enterFreshProject());

  test("has every event that was accepted before its end, also those still on their way", async () => {
    const sent = events(500);
    await weir.deliver(sent.slice(0, 250), { historical: true });
    await weir.deliver(sent.slice(250));
    const [file] = await download({ file: { format: "JSONLines", compression: "gzip" }, model: "events", ...soFar() });
    const lines = gunzipSync(file!)
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ uuid }) => uuid).sort()).toEqual(sent.map(({ uuid }) => uuid).sort());
    const one = lines.find(({ uuid }) => uuid === sent[7]!.uuid);
    expect(one).toMatchObject({
      event: "seen",
      distinct_id: "user-2",
      properties: { i: 7, text: 'é "7"' },
      person_properties: { plan: "p2" },
      timestamp: "2025-01-08T00:00:00.000000Z",
    });
  });

  test("of Parquet, of some events, in parts, and of a part of a file", async () => {
    await weir.deliver(events(20, "other"));
    const [file] = await download({
      file: { format: "Parquet", compression: "zstd", max_size_mb: 1 },
      model: "events",
      include: ["other"],
      ...soFar(),
    });
    const path = join(weir.dataDir, "test.parquet");
    await Bun.write(path, file!);
    expect(await sql(`select count(*)::int, min(event) from read_parquet('${path}')`)).toEqual([[20, "other"]]);
    const list = (await api("GET", "file_download_batch_exports/")).json.results;
    const part = await fetch(
      `${weir.url}/api/projects/${weir.environmentId}/file_download_batch_exports/${list[0].id}/download/`,
      {
        headers: { authorization: `Bearer ${weir.personalKey}`, range: "bytes=0-3" },
      },
    );
    expect([part.status, await part.text()]).toEqual([206, "PAR1"]);
  });

  test("of persons, sessions and a query", async () => {
    await weir.deliver([
      {
        event: "$identify",
        distinct_id: "ada@example.com",
        properties: { $anon_distinct_id: "user-1", $set: { name: "Ada" } },
      },
      {
        event: "$pageview",
        distinct_id: "user-3",
        properties: { $session_id: "s-1", $current_url: "https://x.example/a" },
      },
    ]);
    const file = { format: "JSONLines" };
    const lines = async (wish: object) =>
      (await download({ file, ...wish })).flatMap((bytes) =>
        Buffer.from(bytes)
          .toString()
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
    const persons = await lines({ model: "persons", ...soFar() });
    expect(persons.map((row) => row.distinct_id).sort()).toEqual([
      "ada@example.com",
      "user-0",
      "user-1",
      "user-2",
      "user-3",
      "user-4",
    ]);
    const [ada, one] = ["ada@example.com", "user-1"].map((id) => persons.find((row) => row.distinct_id === id));
    expect(ada).toMatchObject({
      properties: { name: "Ada", plan: "p1" },
      is_deleted: false,
      team_id: weir.environmentId,
    });
    expect(one.person_id).toBe(ada.person_id);
    const sessions = await lines({ model: "sessions", ...soFar() });
    expect(sessions).toMatchObject([{ session_id: "s-1", distinct_id: "user-3", $pageview_count: 1 }]);
    const counted = await lines({
      model: "hogql",
      hogql_query:
        "select event, count() as n from events where event in ('seen', 'other') group by event order by event",
    });
    expect(counted).toEqual([
      { event: "other", n: 20 },
      { event: "seen", n: 500 },
    ]);
  });
});

/** Makes an export to a folder; gives its id and the folder. */
async function newExport(wish: object = {}): Promise<{ id: string; folder: string }> {
  const path = crypto.randomUUID();
  const made = await api("POST", "batch_exports/", {
    name: "to a folder",
    interval: "every 5 minutes",
    // Its backfills are what a test looks at.
    paused: true,
    destination: {
      type: "Folder",
      config: { path, file_format: "JSONLines", compression: "gzip", max_file_size_mb: 1 },
    },
    ...wish,
  });
  expect(made).toMatchObject({ status: 201 });
  return { id: made.json.id, folder: join(weir.dataDir, "exports", "folders", path) };
}

const backfillOf = async (id: string, range: object): Promise<string> => {
  const made = await api("POST", `batch_exports/${id}/backfills/`, range);
  expect(made).toMatchObject({ status: 201 });
  return made.json.backfill_id;
};

const ended = (id: string, backfillId: string) =>
  until("the end of the backfill", HANG_MS, async () => {
    const { json } = await api("GET", `batch_exports/${id}/backfills/${backfillId}/`);
    return ["Starting", "Running"].includes(json.status) ? null : json;
  });

/** The uuids in all files of a folder. */
function uuidsIn(folder: string): string[] {
  const names = readdirSync(folder);
  return names.flatMap((name) => {
    const text = gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trimEnd();
    return text.split("\n").map((line) => JSON.parse(line).uuid);
  });
}

describe("a batch export", () => {
  beforeAll(() => weir.enterFreshProject());

  test("takes each event once, in whichever interval it was accepted, while more come in and a process dies", async () => {
    const { id, folder } = await newExport();
    const sent: string[] = [];
    const beginMs = Date.now();
    let backfills = 0;
    // Intervals of any length, one after the other, as a backfill cuts them.
    let fromMs = beginMs - 1_000;
    const feed = async () => {
      while (backfills < 4) {
        const some = events(200);
        await weir.deliver(some, { historical: sent.length % 3 === 0 });
        for (const { uuid } of some) sent.push(uuid);
        await Bun.sleep(20);
      }
    };
    const feeding = feed();
    for (; backfills < 4; backfills++) {
      await until("more events", HANG_MS, () => sent.length > (backfills + 1) * 400);
      const toMs = Date.now();
      const range = { start_at: new Date(fromMs).toISOString(), end_at: new Date(toMs).toISOString() };
      const backfill = await backfillOf(id, range);
      if (backfills === 1) weir.kill9("exporter-0");
      expect(await ended(id, backfill)).toMatchObject({ status: "Completed" });
      fromMs = toMs;
    }
    await feeding;
    const last = { start_at: new Date(fromMs).toISOString(), end_at: new Date().toISOString() };
    expect(await ended(id, await backfillOf(id, last))).toMatchObject({
      status: "Completed",
      progress: { progress: 1 },
    });
    expect(uuidsIn(folder).sort()).toEqual(sent.sort());
    const runs = (await api("GET", `batch_exports/${id}/runs/`)).json.results;
    const exported = runs.reduce((sum: number, run: { records_completed: number }) => sum + run.records_completed, 0);
    expect(exported).toBe(sent.length);
  });

  test("writes the same files when a run is done again, and tells what it did", async () => {
    const { id, folder } = await newExport();
    await ended(id, await backfillOf(id, { start_at: null, end_at: new Date().toISOString() }));
    const names = readdirSync(folder).sort();
    const [run] = (await api("GET", `batch_exports/${id}/runs/`)).json.results;
    expect(run).toMatchObject({
      status: "Completed",
      data_interval_start: null,
      latest_error: null,
      backfill: expect.any(String),
    });
    expect(run.bytes_exported).toBeGreaterThan(1_000);
    const { backfill_id: again } = (await api("POST", `batch_exports/${id}/runs/${run.id}/retry/`)).json;
    expect(await ended(id, again)).toMatchObject({ status: "Completed" });
    expect(readdirSync(folder).sort()).toEqual(names);
    const { results } = (await api("GET", `batch_exports/${id}/runs/${run.id}/logs/`)).json;
    expect(results[0]).toMatchObject({
      level: "info",
      message: expect.stringMatching(/^Exported \d+ rows in \d+ files, \d+ bytes\.$/),
    });
    expect((await api("GET", `batch_exports/${id}/logs/?level=ERROR`)).json.count).toBe(0);
    const { latest_runs: latest } = (await api("GET", `batch_exports/${id}/`)).json;
    expect(latest).toHaveLength(2);
  });

  test("that cannot write fails with the reason, and is not tried again", async () => {
    const { id } = await newExport({
      destination: { type: "Folder", config: { path: "/proc/nowhere", file_format: "Parquet" } },
    });
    const now = new Date().toISOString();
    const backfill = await ended(id, await backfillOf(id, { start_at: null, end_at: now }));
    expect(backfill).toMatchObject({ status: "Failed" });
    const [run] = (await api("GET", `batch_exports/${id}/runs/`)).json.results;
    expect(run).toMatchObject({ status: "Failed", latest_error: expect.stringContaining("not allowed") });
  });

  test("is paused, goes on, and its runs are cancelled", async () => {
    const { id } = await newExport({ interval: "day", timezone: "Europe/Berlin", offset_hour: 3 });
    expect((await api("POST", `batch_exports/${id}/pause/`)).json).toEqual({ paused: true });
    expect((await api("GET", `batch_exports/${id}/`)).json).toMatchObject({
      paused: true,
      last_paused_at: expect.any(String),
    });
    expect((await api("POST", `batch_exports/${id}/unpause/`, { backfill: false })).json).toEqual({ paused: false });
    const wrong = await api("POST", `batch_exports/${id}/backfills/`, {
      start_at: "2025-01-01T00:00:00Z",
      end_at: null,
    });
    expect(wrong).toMatchObject({ status: 400, json: { detail: expect.stringContaining("only the date component") } });
    // Nothing was accepted before the project was made.
    const past = { start_at: "2015-01-01", end_at: "2025-01-01" };
    expect(await ended(id, await backfillOf(id, past))).toMatchObject({
      status: "Completed",
      progress: { total_runs: 0 },
    });
    const query = { model: "hogql", hogql_query: "select count() as n from events" };
    await api("PATCH", `batch_exports/${id}/`, query);
    const backfill = await backfillOf(id, past);
    expect((await api("POST", `batch_exports/${id}/backfills/${backfill}/cancel/`)).json).toEqual({ cancelled: true });
    expect((await ended(id, backfill)).status).toBe("Cancelled");
    const open = await until("cancelled runs", HANG_MS, async () => {
      const { results } = (await api("GET", `batch_exports/${id}/runs/`)).json;
      const isOpen = ({ status }: { status: string }) => ["Starting", "Running"].includes(status);
      return results.some(isOpen) ? null : results;
    });
    expect(open.length).toBeLessThan(1_000);
    expect((await api("DELETE", `batch_exports/${id}/`)).status).toBe(204);
    expect((await api("GET", `batch_exports/${id}/`)).status).toBe(404);
  });
});
