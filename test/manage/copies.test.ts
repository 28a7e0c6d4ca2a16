import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

interface Dashboard {
  id: number;
  name: string | null;
  filters: JsonObject;
  tiles: {
    id: number;
    layouts: JsonObject;
    color: string | null;
    text: { body: string } | null;
    insight: { id: number; name: string | null; query: JsonObject; dashboards: number[] } | null;
  }[];
}

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const base = "/api/environments/1/";
const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
const send = async (method: string, path: string, body?: object, key = server.key) => {
  const reply = await server.send(method, base + path, { body, key });
  return { status: reply.status, json: reply.json as Dashboard };
};

/** A dashboard with two insights and a text, each in its place. */
async function original() {
  const { id } = (await send("POST", "dashboards/", { name: "first", filters: { date_from: "-3d" } })).json;
  const insights: number[] = [];
  for (const name of ["one", "two"]) {
    insights.push((await send("POST", "insights/", { name, query, dashboards: [id] })).json.id);
  }
  await send("PATCH", `dashboards/${id}/`, { tiles: [{ text: { body: "# Text" } }] });
  const shown = (await send("GET", `dashboards/${id}/`)).json;
  const tiles = shown.tiles.map((tile, y) => ({
    id: tile.id,
    layouts: { sm: { x: 0, y, w: 6, h: 5 } },
    color: "blue",
  }));
  await send("PATCH", `dashboards/${id}/`, { tiles });
  return { id, insights };
}

describe("a dashboard like another one", () => {
  test("has the same insights and texts, in their places", async () => {
    const { id, insights } = await original();
    const made = await send("POST", "dashboards/", { name: "second", use_dashboard: id });
    expect(made.status).toBe(201);
    const { tiles, ...rest } = made.json;
    expect(rest).toMatchObject({ name: "second", filters: { date_from: "-3d" } });
    expect(tiles.map(({ insight, text, color, layouts }) => [insight?.id ?? text!.body, color, layouts])).toEqual(
      [...insights, "# Text"].map((what, y) => [what, "blue", { sm: { x: 0, y, w: 6, h: 5 } }]),
    );
    expect(tiles[0]!.insight!.dashboards).toEqual([id, made.json.id]);
  });

  test("or insights of its own, which are logged", async () => {
    const { id, insights } = await original();
    const body = { name: "own", filters: { date_from: "-9d" }, use_dashboard: id, duplicate_tiles: true };
    const { tiles, filters, ...made } = (await send("POST", "dashboards/", body)).json;
    expect(filters).toEqual({ date_from: "-9d" });
    const copies = tiles.flatMap(({ insight }) => insight ?? []);
    expect(copies.map(({ name, dashboards }) => [name, dashboards])).toEqual([
      ["one (Copy)", [made.id]],
      ["two (Copy)", [made.id]],
    ]);
    expect(copies.filter((copy) => insights.includes(copy.id))).toEqual([]);
    expect((await send("GET", `insights/${copies[0]!.id}/`)).json).toMatchObject({ query } as never);
    expect((await send("GET", `insights/${copies[0]!.id}/activity/`)).json).toMatchObject({ total_count: 1 } as never);
  });

  test("is refused where there is none, and leaves out what the caller does not see", async () => {
    const { id, insights } = await original();
    const { value: key } = await server.createKey({
      userId: (await userElse(server)).id,
      scopes: ["*"],
      level: "member",
    });
    await send("PUT", `insights/${insights[0]}/access_controls/`, { access_level: "none" });
    const like = (body: object) => send("POST", "dashboards/", { name: "x", use_dashboard: id, ...body }, key);
    for (const duplicate_tiles of [false, true]) expect((await like({ duplicate_tiles })).json.tiles).toHaveLength(2);
    await send("PUT", `dashboards/${id}/access_controls/`, { access_level: "none" });
    for (const use_dashboard of [id, 99999]) {
      expect(await like({ use_dashboard })).toMatchObject({
        status: 400,
        json: { attr: "use_dashboard", detail: "Invalid value provided" },
      } as never);
    }
  });
});
