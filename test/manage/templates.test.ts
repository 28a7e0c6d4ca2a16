import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

interface Dashboard {
  id: number;
  name: string | null;
  description: string;
  tiles: {
    layouts: { sm: { x: number; y: number; w: number; h: number } };
    insight: { id: number; name: string; result: unknown; query_status: JsonObject | null; saved: boolean };
  }[];
}

const DAY_MS = 86_400_000;

let server: ManageServer;
let lake: StoredLake;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  const events = Array.from({ length: 40 }, (_, i) => ({
    event: i % 3 === 0 ? "signed up" : "$pageview",
    distinctId: `p${i % 7}`,
    timestampMs: server.nowMs - i * DAY_MS * 0.7,
    properties: { $browser: ["Chrome", "Firefox"][i % 2]!, $pathname: `/${i % 4}`, $referring_domain: "example.com" },
  }));
  const persons = Array.from({ length: 7 }, (_, i) => ({ distinctIds: [`p${i}`] }));
  await lake.store(1, { events, persons, groups: [] });
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

const dashboards = "/api/environments/1/dashboards/";
const make = async (body: object) => (await server.send("POST", dashboards, { body })).json as Dashboard;

test.each(["DEFAULT_APP", "FIRST_EVENTS"])("%s makes eight insights that all have an answer", async (use_template) => {
  const made = await make({ use_template });
  expect(made.tiles).toHaveLength(8);
  const { json } = await server.send("GET", `${dashboards}${made.id}/?refresh=blocking`);
  for (const { insight } of (json as Dashboard).tiles) {
    const { name, query_status, result } = insight;
    expect({ name, query_status, result }).toEqual({ name, query_status: null, result: expect.any(Array) });
    expect((result as unknown[]).length).toBeGreaterThan(0);
  }
});

test.each(["DEFAULT_APP", "FIRST_EVENTS"])(
  "%s has a place for each of them, in twelve columns",
  async (use_template) => {
    const places = (await make({ use_template })).tiles.map(({ layouts }) => layouts.sm);
    const cells = places.flatMap(({ x, y, w, h }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(places.every(({ x, w }) => x >= 0 && x + w <= 12)).toBe(true);
  },
);

test("what the client says of the dashboard comes first, and the insights are logged", async () => {
  const made = await make({ use_template: "DEFAULT_APP", name: "Ours", filters: { date_from: "-3d" } });
  expect(made).toMatchObject({ name: "Ours", filters: { date_from: "-3d" } } as never);
  expect((await make({ use_template: "DEFAULT_APP", name: "" })).name).toBe("Product analytics");
  const log = await server.send("GET", `/api/environments/1/insights/${made.tiles[0]!.insight.id}/activity/`);
  expect(log.json).toMatchObject({
    results: [{ activity: "created", detail: { name: made.tiles[0]!.insight.name } }],
  } as never);
  expect(made.tiles.every(({ insight }) => insight.saved)).toBe(true);
});

test("a template that there is not is refused, and nothing is made", async () => {
  const count = async () => ((await server.send("GET", dashboards)).json as { count: number }).count;
  const before = await count();
  for (const use_template of ["NOPE", "toString", "__proto__"]) {
    expect(await server.send("POST", dashboards, { body: { use_template } })).toMatchObject({
      status: 400,
      json: { attr: "use_template", detail: `Invalid template provided: ${use_template}` },
    } as never);
  }
  expect(await count()).toBe(before);
  for (const use_template of [null, ""]) expect((await make({ use_template })).tiles).toEqual([]);
});
