import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const PATH = "/api/projects/1/batch_exports/";
const SECRET = "the-secret-access-key-of-a-bucket";
const BUCKET = {
  type: "S3Compatible",
  config: {
    bucket_name: "events",
    region: "eu-1",
    prefix: "weir/",
    aws_access_key_id: "the-key-id-of-a-bucket",
    aws_secret_access_key: SECRET,
    endpoint_url: "https://s3.example.com",
  },
};
const FOLDER = { type: "Folder", config: { path: "mine" } };

interface Seen {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many routes
  json: any;
}

const send = async (method: string, path: string, body?: object): Promise<Seen> => {
  const { status, text, json } = await server.send(method, `${PATH}${path}`, { body });
  return { status, text, json };
};
const make = (wish: object = {}) => send("POST", "", { name: "mine", interval: "hour", destination: FOLDER, ...wish });

describe("a batch export", () => {
  test("is shown with PostHog's members", async () => {
    const { status, json } = await make({ interval: "week", offset_day: 3, offset_hour: 5, timezone: "Europe/Berlin" });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      team_id: 1,
      name: "mine",
      model: "events",
      destination: {
        type: "Folder",
        config: { path: "mine", file_format: "Parquet", compression: null, max_file_size_mb: null },
        integration: null,
      },
      interval: "week",
      paused: false,
      last_paused_at: null,
      start_at: null,
      end_at: null,
      latest_runs: [],
      hogql_query: null,
      schema: null,
      filters: null,
      timezone: "Europe/Berlin",
      offset_day: 3,
      offset_hour: 5,
    });
    expect((await send("GET", `${json.id}/`)).json).toEqual(json);
    expect((await send("GET", "")).json.results[0]).toEqual(json);
  });

  test.each([
    [{ interval: "month" }, "interval", "invalid_choice"],
    [{ interval: undefined }, "interval", "required"],
    [{ destination: undefined }, "destination", "required"],
    [{ destination: { type: "BigQuery", config: {} } }, "destination__type", "invalid_choice"],
    [{ destination: { type: "Folder", config: {} } }, "destination", "invalid_input"],
    [{ destination: { type: "Folder", config: { path: "x", color: "red" } } }, "destination", "invalid_input"],
    [
      { destination: { type: "Folder", config: { path: "x", file_format: "JSONLines", compression: "zstd" } } },
      "destination",
      "invalid_input",
    ],
    [
      { destination: { type: "Folder", config: { path: "x", include_events: "seen" } } },
      "destination",
      "invalid_input",
    ],
    [{ destination: { ...FOLDER, integration_id: 1 } }, "destination__integration", "invalid_input"],
    [{ destination: { type: "FileDownload", config: {} } }, "destination", "invalid_input"],
    [
      { destination: { type: "HTTP", config: { url: "https://x.example/batch/", token: "t" } }, model: "persons" },
      null,
      "invalid_input",
    ],
    [{ model: "orders" }, "model", "invalid_choice"],
    [{ timezone: "Mars/Base" }, "timezone", "invalid_choice"],
    [{ offset_hour: 3 }, "offset_hour", "invalid_input"],
    [{ offset_day: 3, interval: "day" }, "offset_day", "invalid_input"],
    [{ offset_day: 7, interval: "week" }, "offset_day", "max_value"],
    [{ model: "hogql" }, "hogql_query", "invalid_input"],
    [{ model: "hogql", hogql_query: "select nothing from events" }, "hogql_query", "invalid_input"],
    [{ hogql_query: "select event from events" }, "hogql_query", "invalid_input"],
    [{ filters: {} }, "filters", "invalid_input"],
    [{ start_at: "2026-02-01T00:00:00Z", end_at: "2026-01-01T00:00:00Z" }, "end_at", "invalid_input"],
    [{ start_at: "soon" }, "start_at", "invalid_input"],
  ])("%j is refused", async (wish, attr, code) => {
    expect(await make(wish)).toMatchObject({ status: 400, json: { type: "validation_error", attr, code } });
  });

  test("of a query is one when the query can be compiled", async () => {
    const query = "select event, count() from events where created_at < {data_interval_end} group by event";
    expect(await make({ model: "hogql", hogql_query: query })).toMatchObject({
      status: 201,
      json: { hogql_query: query },
    });
  });

  test("keeps its secrets to itself", async () => {
    const { json } = await make({ destination: BUCKET });
    expect(json.destination.config).toMatchObject({ bucket_name: "events", prefix: "weir/" });
    const changed = await send("PATCH", `${json.id}/`, {
      destination: { type: "S3Compatible", config: { prefix: "other/", aws_secret_access_key: `${SECRET}-2` } },
    });
    expect(changed).toMatchObject({
      status: 200,
      json: { destination: { config: { prefix: "other/", bucket_name: "events" } } },
    });
    const answers = [json, changed, (await send("GET", "")).json];
    const entries = await server.send("GET", "/api/projects/1/activity_log/?scope=BatchExport&limit=100");
    const rows = await server.db.read(async (tx) => [
      await tx`select * from activity_log`,
      await tx`select * from batch_exports`,
    ]);
    const written = JSON.stringify([answers, entries.json, rows, server.logged]);
    expect(written).not.toContain(SECRET);
    expect(written).not.toContain("the-key-id-of-a-bucket");
    const [entry] = (entries.json as { results: { detail: { changes: { field: string; before: unknown }[] } }[] })
      .results;
    expect(entry!.detail.changes.map(({ field }) => field).sort()).toEqual(["destination", "destination_secret"]);
    expect(entry!.detail.changes.find(({ field }) => field === "destination_secret")!.before).toBeNull();
  });

  test("keeps its type, and its config where a change says nothing of it", async () => {
    const { json } = await make();
    const other = await send("PATCH", `${json.id}/`, { destination: BUCKET });
    expect(other).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining("Cannot change destination type from 'Folder'") },
    });
    const renamed = await send("PATCH", `${json.id}/`, { name: "renamed", interval: "day", offset_hour: 4 });
    expect(renamed.json).toMatchObject({ name: "renamed", offset_hour: 4, destination: json.destination });
    expect((await send("PATCH", `${json.id}/`, { interval: "hour" })).json.offset_hour).toBeNull();
  });
});

/** When the project was made. */
const madeAt = (time: string) =>
  server.db.write((tx) => tx`update environments set created_at_ms = ${Date.parse(time)} where id = 1`);

describe("a backfill", () => {
  beforeAll(() => madeAt("2025-01-01T00:00:00Z"));

  test.each([
    ["hour", { start_at: "2026-01-01T00:00:00", end_at: null }, "is naive"],
    ["hour", { start_at: "yesterday", end_at: null }, "is not a valid ISO formatted datetime"],
    ["hour", { start_at: "2026-01-02T00:00:00Z", end_at: "2026-01-01T00:00:00Z" }, "must be before 'end_at'"],
    ["hour", { start_at: "2026-01-02T00:00:00Z", end_at: "2027-01-01T00:00:00Z" }, "is in the future"],
    ["day", { start_at: "2026-01-01T00:00:00Z", end_at: null }, "expect only the date component"],
    [
      "week",
      { start_at: "2026-01-01", end_at: null },
      "is a Thursday but this batch export is configured to run weekly on Sunday",
    ],
  ])("of an export by %s with %j is refused", async (interval, body, detail) => {
    const { json } = await make({ interval });
    const refused = await send("POST", `${json.id}/backfills/`, body);
    expect(refused).toMatchObject({ status: 400, json: { detail: expect.stringContaining(detail) } });
  });

  test("has a bounded number of runs", async () => {
    const { json } = await make({ interval: "every 5 minutes" });
    const ask = (start: string) => send("POST", `${json.id}/backfills/`, { start_at: start, end_at: null });
    await madeAt("0001-01-02T00:00:00Z");
    for (const start of ["0001-01-01T00:00:00Z", "2024-12-01T00:00:00Z"]) {
      expect(await ask(start)).toMatchObject({
        status: 400,
        json: { detail: expect.stringMatching(/^A backfill has at most 110000 runs, and this one would have \d+: /) },
      });
    }
    expect((await ask("2025-01-15T00:00:00Z")).status).toBe(201);
    await madeAt("2025-01-01T00:00:00Z");
  });

  test("begins with the interval that the project was made in, unless it is of a query", async () => {
    const seen = async (id: string, range: object) => {
      const { json } = await send("POST", `${id}/backfills/`, range);
      return (await send("GET", `${id}/backfills/${json.backfill_id}/`)).json;
    };
    const wish = { interval: "day", timezone: "Europe/Berlin", offset_hour: 3 };
    const { json: events } = await make(wish);
    const range = { start_at: "0001-01-01", end_at: "2025-01-05" };
    expect(await seen(events.id, range)).toMatchObject({
      status: "Starting",
      start_at: expect.stringMatching(/^0001-01-01T/),
      adjusted_start_at: "2024-12-31T02:00:00.000Z",
      progress: { total_runs: 5, finished_runs: 0 },
    });
    expect(await seen(events.id, { start_at: "0001-01-01", end_at: "2024-12-31" })).toMatchObject({
      status: "Completed",
      finished_at: expect.any(String),
      progress: { total_runs: 0, finished_runs: 0, progress: 1 },
    });
    const { json: query } = await make({ ...wish, model: "hogql", hogql_query: "select count() as n from events" });
    expect(await seen(query.id, { start_at: "2024-12-01", end_at: "2025-01-05" })).toMatchObject({
      adjusted_start_at: null,
      progress: { total_runs: 35 },
    });
    await server.db.write((tx) => tx`update batch_export_backfills set finished_at_ms = 0`);
  });

  test("says how far it is, and there are not too many at once", async () => {
    const { json } = await make();
    const range = { start_at: "2026-01-01T00:00:00Z", end_at: "2026-01-02T06:30:00+02:00" };
    const { json: made } = await send("POST", `${json.id}/backfills/`, range);
    expect((await send("GET", `${json.id}/backfills/${made.backfill_id}/`)).json).toMatchObject({
      status: "Starting",
      start_at: "2026-01-01T00:00:00.000Z",
      end_at: "2026-01-02T04:30:00.000Z",
      progress: { total_runs: 29, finished_runs: 0, progress: 0 },
      batch_export: json.id,
    });
    for (let i = 0; i < 9; i++) expect((await send("POST", `${json.id}/backfills/`, range)).status).toBe(201);
    expect(await send("POST", `${json.id}/backfills/`, range)).toMatchObject({
      status: 429,
      json: { code: "too_many_concurrent_backfills" },
    });
    const { results } = (await send("GET", `${json.id}/backfills/`)).json;
    expect(results).toHaveLength(10);
    const cancel = `${json.id}/backfills/${made.backfill_id}/cancel/`;
    expect(await send("POST", cancel)).toMatchObject({ status: 200, json: { cancelled: true } });
    expect(await send("POST", cancel)).toMatchObject({
      status: 400,
      json: { detail: "Cannot cancel a backfill that is in 'Cancelled' status" },
    });
  });
});

describe("a file download", () => {
  const DOWNLOADS = "/api/projects/1/file_download_batch_exports/";
  const interval = { data_interval_start: "2026-01-01T00:00:00Z", data_interval_end: "2026-01-02T00:00:00Z" };
  const ask = (wish: object) =>
    server.send("POST", DOWNLOADS, { body: { file: { format: "Parquet" }, model: "events", ...interval, ...wish } });

  test.each([
    [{ file: undefined }, "required"],
    [{ model: "orders" }, "invalid_choice"],
    [{ file: { format: "CSV" } }, "invalid_input"],
    [{ file: { format: "JSONLines", compression: "snappy" } }, "invalid_input"],
    [{ data_interval_end: undefined }, "invalid_input"],
    [{ data_interval_end: "2025-12-01T00:00:00Z" }, "invalid_input"],
    [{ data_interval_end: "2030-01-01T00:00:00Z" }, "invalid_input"],
    [{ model: "hogql", hogql_query: "select 1 as one" }, "invalid_input"],
    [{ hogql_query: "select 1 as one" }, "invalid_input"],
  ])("%j is refused", async (wish, code) => {
    expect(await ask(wish)).toMatchObject({ status: 400, json: { code } } as never);
  });

  test("waits for an exporter, and is cancelled", async () => {
    const { status, json } = await ask({ include: ["seen"] });
    const { id } = json as { id: string };
    expect(status).toBe(202);
    const get = async (end = "") => (await server.send("GET", `${DOWNLOADS}${id}/${end}`)) as unknown as Seen;
    expect((await get()).json).toEqual({ status: "Starting" });
    expect(await get("download/")).toMatchObject({
      status: 400,
      json: { detail: "Batch export run is still in progress" },
    });
    const cancelled = await server.send("POST", `${DOWNLOADS}${id}/cancel/`, { body: {} });
    expect(cancelled.json).toEqual({ status: "Cancelled" } as never);
    expect(await get("download/0/")).toMatchObject({ status: 400, json: { detail: "Batch export run was cancelled" } });
  });
});

test("a destination is tried in one step", async () => {
  expect((await send("GET", "test/?destination=Folder")).json.steps).toHaveLength(1);
  expect((await send("GET", "test/?destination=Nowhere")).status).toBe(404);
  const tried = await send("POST", "run_test_step_new/", { step: 0, destination: FOLDER });
  expect(tried.json.result).toEqual({ status: "Passed", message: null });
  const outside = { type: "Folder", config: { path: "/etc/weir" } };
  const refused = await send("POST", "run_test_step_new/", { step: 0, destination: outside });
  expect(refused.json.result).toMatchObject({ status: "Failed", message: expect.stringContaining("not allowed") });
});
