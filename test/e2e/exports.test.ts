import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sql } from "../lake/support.ts";
import { until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir();
});
afterAll(() => weir[Symbol.asyncDispose]());

const UNTIL_MS = 60_000;

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
  const state = await until("the files", UNTIL_MS, async () => {
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
