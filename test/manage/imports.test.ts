import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const send = async (method: string, path: string, body?: object) => {
  const { status, json } = await server.send(method, `/api/projects/1/${path}`, { body });
  return { status, json: json as JsonObject & { id: string; results: JsonObject[] } };
};

test("imports are noted, found by their history, and tell how far they are", async () => {
  const history = { source: "file", origin: "/data/a.csv", mapping_hash: "one" };
  const { status, json: made } = await send("POST", "imports/", history);
  expect(status).toBe(201);
  expect(made).toMatchObject({ ...history, state: "created", counts: {}, error: null, finished_at: null });
  server.nowMs += 1000;
  const { json: second } = await send("POST", "imports/", { ...history, origin: "/data/b.csv" });

  const ids = async (query: string) => (await send("GET", `imports/${query}`)).json.results.map(({ id }) => id);
  expect(await ids("")).toEqual([second.id, made.id]);
  expect(await ids("?order=created_at")).toEqual([made.id, second.id]);
  expect(await ids("?source=file&origin=/data/a.csv")).toEqual([made.id]);
  expect(await ids("?source=mixpanel")).toEqual([]);
  expect(await ids("?state=created")).toHaveLength(2);

  const path = `imports/${made.id}/`;
  const counts = { rows: 5, stored: 3, duplicates: 1, rejected: 1 };
  expect((await send("PATCH", path, { state: "sending", counts })).json).toMatchObject({ state: "sending", counts });
  const failed = await send("PATCH", path, { state: "failed", error: "the disk is full" });
  expect(failed.json).toMatchObject({ counts, error: "the disk is full", finished_at: expect.any(String) });
  // It was resumed.
  expect((await send("PATCH", path, { state: "sending", error: null })).json.finished_at).toBeNull();
  // What an import is does not change.
  expect((await send("PATCH", path, { origin: "elsewhere", state: "completed" })).json).toMatchObject({
    origin: "/data/a.csv",
    finished_at: expect.any(String),
  });
  expect((await send("GET", path)).json.state).toBe("completed");
  for (const body of [{ state: "dreaming" }, { counts: 5 }, { state: "undone" }]) {
    expect((await send("PATCH", path, body)).status).toBe(400);
  }
  expect((await send("POST", "imports/", { source: "file" })).json).toMatchObject({ attr: "mapping_hash" });
  expect((await send("GET", "imports/nothing/")).status).toBe(404);
});

test("an importer that is asked to pause learns it from the answer to its next note", async () => {
  const { json: made } = await send("POST", "imports/", { source: "file", origin: "/p.csv", mapping_hash: "p" });
  const path = `imports/${made.id}/`;
  const note = async (body: object) => (await send("PATCH", path, body)).json.state;
  expect(await note({ state: "sending" })).toBe("sending");
  for (const _ of [1, 2]) expect(await send("POST", `${path}pause/`)).toMatchObject({ json: { state: "stopping" } });
  // The importer says where it is, which does not take the wish back.
  expect((await send("PATCH", path, { state: "settling", counts: { rows: 5 } })).json).toMatchObject({
    ...{ state: "stopping", counts: { rows: 5 } },
  });
  expect(await note({ state: "paused" })).toBe("paused");
  expect((await send("POST", `${path}pause/`)).json).toMatchObject({ attr: "state" });
  // It is resumed: by the note of its beginning, also where it was killed before it paused.
  expect([await note({ state: "created" }), await note({ state: "sending" })]).toEqual(["created", "sending"]);
  await send("POST", `${path}pause/`);
  expect([await note({ state: "created" }), await note({ state: "surveying" })]).toEqual(["created", "surveying"]);
  expect((await send("PATCH", path, { state: "stopping" })).status).toBe(400);
  expect((await send("POST", "imports/nothing/pause/")).status).toBe(404);
});

test("a key needs the scope of imports", async () => {
  const keyOf = async (scope: string) => (await server.createKey({ scopes: [scope] })).value;
  const [reads, writes, other] = await Promise.all(
    ["batch_import:read", "batch_import:write", "insight:write"].map(keyOf),
  );
  const body = { source: "file", mapping_hash: "one" };
  const status = async (method: string, key: string | undefined) =>
    (await server.send(method, "/api/projects/1/imports/", { key: key!, body: method === "POST" ? body : undefined }))
      .status;
  expect(await Promise.all([status("GET", reads), status("POST", reads), status("GET", other)])).toEqual([
    200, 403, 403,
  ]);
  expect(await Promise.all([status("GET", writes), status("POST", writes)])).toEqual([200, 201]);
});
