import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

interface Tile {
  id: number;
  order: number;
  insight: { id: number } | null;
  text: { body: string } | null;
}

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const base = "/api/environments/1/";
const made = async (path: string, body: object) =>
  ((await server.send("POST", base + path, { body })).json as { id: number }).id;
const patch = async (id: number, ...tiles: object[]) =>
  server.send("PATCH", `${base}dashboards/${id}/`, { body: { tiles } });
const tilesOf = async (id: number) =>
  ((await server.send("GET", `${base}dashboards/${id}/`)).json as { tiles: Tile[] }).tiles;

test("a text is put on a dashboard, changed, taken away and brought back", async () => {
  const id = await made("dashboards/", { name: "d" });
  const layouts = { sm: { x: 0, y: 0, w: 6, h: 2 } };
  await patch(id, { text: { body: "# One" }, layouts, color: "blue" });
  const [tile] = await tilesOf(id);
  expect(tile).toMatchObject({
    dashboard_id: id,
    order: 0,
    deleted: null,
    layouts,
    color: "blue",
    insight: null,
    text: { id: tile!.id, body: "# One", last_modified_at: new Date(server.nowMs).toISOString(), team: 1 },
  } as never);
  expect(Object.keys((tile!.text as unknown as { created_by: JsonObject }).created_by)).toContain("email");
  server.nowMs += 1000;
  await patch(id, { id: tile!.id, text: { id: 99, body: "two" } });
  expect(await tilesOf(id)).toMatchObject([
    { id: tile!.id, layouts, text: { body: "two", last_modified_at: new Date(server.nowMs).toISOString() } } as never,
  ]);
  // Clients send whole tiles back.
  await patch(id, { ...(await tilesOf(id))[0]!, color: "red" });
  expect(await tilesOf(id)).toMatchObject([{ id: tile!.id, color: "red", text: { body: "two" } } as never]);
  await patch(id, { id: tile!.id, deleted: true });
  expect(await tilesOf(id)).toEqual([]);
  await patch(id, { id: tile!.id, deleted: false });
  expect(await tilesOf(id)).toMatchObject([{ id: tile!.id, text: { body: "two" } } as never]);
});

test("every change of a text is in the log", async () => {
  const id = await made("dashboards/", { name: "d" });
  await patch(id, { text: { body: "one" } });
  const [tile] = await tilesOf(id);
  await patch(id, { id: tile!.id, text: { body: "two" } });
  await patch(id, { id: tile!.id, text: { body: "two" } });
  const { results } = (await server.send("GET", `${base}dashboards/${id}/activity/`)).json as {
    results: { detail: { changes: JsonObject[] | null } }[];
  };
  const shown = (text: string) => [{ id: tile!.id, text, color: null, layouts: {} }];
  expect(results.map(({ detail }) => detail.changes)).toEqual([
    [{ type: "Dashboard", action: "changed", field: "tiles", before: shown("one"), after: shown("two") }],
    [{ type: "Dashboard", action: "changed", field: "tiles", before: [], after: shown("one") }],
    null,
  ]);
});

test("a text has bounds, and an insight is no text", async () => {
  const id = await made("dashboards/", { name: "d" });
  await made("insights/", { name: "i", dashboards: [id] });
  const [tile] = await tilesOf(id);
  const refused = async (...wishes: object[]) => (await patch(id, ...wishes)).json as { attr: string; code: string };
  expect(await refused({ text: { body: "x".repeat(4001) } })).toMatchObject({ attr: "text__body", code: "max_length" });
  expect(await refused({ text: {} })).toMatchObject({ attr: "text__body", code: "required" });
  expect(await refused({ text: null })).toMatchObject({ attr: "tiles__0__id", code: "required" });
  expect(await refused({ id: tile!.id, text: { body: "x" } })).toMatchObject({ attr: "tiles__0__text" });
  expect(await refused({ id: 99999, text: { body: "x" } })).toMatchObject({ code: "does_not_exist" });
  const many = Array.from({ length: 51 }, () => ({ text: { body: "x" } }));
  expect(await refused(...many)).toMatchObject({ attr: "tiles", code: "max_length" });
  expect((await tilesOf(id)).map(({ text }) => text)).toEqual([null]);
});

test("texts that were deleted do not heap up, and are no way above the bound", async () => {
  const id = await made("dashboards/", { name: "d" });
  for (let round = 0; round < 3; round++) {
    await patch(id, ...Array.from({ length: 40 }, (_, i) => ({ text: { body: `${round} ${i}` } })));
    await patch(id, ...(await tilesOf(id)).map((tile) => ({ id: tile.id, deleted: true })));
  }
  for (const deleted of [true, false]) await server.send("PATCH", `${base}dashboards/${id}/`, { body: { deleted } });
  const shown = (await tilesOf(id)).map(({ text }) => text!.body);
  // The youngest are kept.
  expect([shown.length, shown.at(-1)]).toEqual([50, "2 39"]);
});

test("tiles stand in the order of their places, those without one last", async () => {
  const id = await made("dashboards/", { name: "d" });
  const at = (x: number, y: number) => ({ layouts: { sm: { x, y, w: 6, h: 5 } } });
  const texts = [{}, at(6, 5), at(0, 5), at(0, 0), { layouts: { xs: { x: 0, y: 0 } } }];
  await patch(id, ...texts.map((layout, i) => ({ text: { body: String(i) }, ...layout })));
  const shown = await tilesOf(id);
  expect(shown.map(({ text }) => text!.body)).toEqual(["3", "2", "1", "0", "4"]);
  expect(shown.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4]);
});

test("texts go with their dashboard, and come back with it", async () => {
  const id = await made("dashboards/", { name: "d" });
  await patch(id, { text: { body: "x" } });
  for (const deleted of [true, false]) await server.send("PATCH", `${base}dashboards/${id}/`, { body: { deleted } });
  expect(await tilesOf(id)).toMatchObject([{ text: { body: "x" } }]);
});
