import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Api } from "../../src/import/api/client.ts";
import { bringObjects, readObjects } from "../../src/import/objects/mod.ts";
import type { ObjectsReport } from "../../src/import/types.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
let lake: StoredLake;
let there: number;
let here: number;

beforeAll(async () => {
  server = await startManage();
  lake = await StoredLake.open();
  server.lake = lake;
  there = await project("there");
  here = await project("here");
});
afterAll(async () => {
  await server.stop();
  await lake.close();
});

type Body = Record<string, unknown>;

async function project(name: string): Promise<number> {
  return (await made("/api/projects/", { name })).id as number;
}

async function made(path: string, body: Body): Promise<Body> {
  const reply = await server.send("POST", path, { body });
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return reply.json;
}

const apiOf = (id: number) => new Api({ url: server.url, key: server.key, project: String(id) });
const at = (id: number, path: string) => `/api/projects/${id}/${path}`;
const bring = async (to = here, options = {}) => bringObjects(await readObjects(apiOf(there)), apiOf(to), options);

/** Of one kind, by name. */
async function named(id: number, path: string): Promise<Record<string, Body>> {
  const { results } = (await server.send("GET", at(id, path))).json as { results: Body[] };
  return Object.fromEntries(results.map((one) => [String(one.name), one]));
}

const behavioral = (key: number) => ({
  properties: {
    type: "OR",
    values: [
      {
        type: "OR",
        values: [
          {
            type: "behavioral",
            value: "performed_event",
            event_type: "actions",
            key,
            time_value: 30,
            time_interval: "day",
          },
        ],
      },
    ],
  },
});
const inCohort = (id: number) => ({ type: "cohort", key: "id", value: id, operator: "in" });
const all = (...values: object[]) => ({ properties: { type: "AND", values: [{ type: "AND", values }] } });

/** A project in which nothing has the number that it will have elsewhere. */
async function fill(): Promise<void> {
  const event = { uuid: crypto.randomUUID(), event: "seen", distinctId: "ada", timestampMs: server.nowMs - 1000 };
  const persons = [{ distinctIds: ["ada"] }, { distinctIds: ["bob"] }];
  await lake.store(there, { events: [event], persons, groups: [] });
  for (let i = 0; i < 3; i++) {
    const gone = await made(at(there, "cohorts/"), { name: `gone ${i}`, is_static: true, csv: "x" });
    await server.send("PATCH", at(there, `cohorts/${gone.id}/`), { body: { deleted: true } });
  }
  const action = await made(at(there, "actions/"), { name: "buys", steps: [{ event: "bought" }], tags: ["money"] });
  const listed = await made(at(there, "cohorts/"), { name: "friends", is_static: true, csv: "ada\nbob" });
  const buyers = await made(at(there, "cohorts/"), { name: "buyers", filters: behavioral(action.id as number) });
  const both = await made(at(there, "cohorts/"), {
    name: "buying friends",
    filters: all(inCohort(listed.id as number), inCohort(buyers.id as number)),
  });
  const trends = await made(at(there, "insights/"), {
    name: "Sales",
    saved: true,
    tags: ["board"],
    query: {
      kind: "InsightVizNode",
      source: {
        kind: "TrendsQuery",
        series: [{ kind: "ActionsNode", id: action.id, math: "dau" }],
        properties: [inCohort(both.id as number)],
        breakdownFilter: { breakdown_type: "cohort", breakdown: ["all", buyers.id] },
      },
    },
  });
  const sql = await made(at(there, "insights/"), {
    name: "By hand",
    saved: true,
    query: {
      kind: "DataTableNode",
      source: {
        kind: "HogQLQuery",
        query: `SELECT 'IN COHORT ${listed.id}', count() FROM events WHERE person_id IN COHORT ${listed.id} AND matchesAction(${action.id})`,
      },
    },
  });
  const atNoon = { date_marker: "2026-01-14T12:00:00Z" };
  await made(at(there, "annotations/"), { content: "released", scope: "project", ...atNoon });
  await made(at(there, "annotations/"), { content: "campaign", dashboard_item: trends.id, ...atNoon });
  const bounds = { type: "absolute", bounds: { lower: 2, upper: null } };
  await made(at(there, "alerts/"), {
    ...{ name: "few", insight: trends.id, condition: { type: "absolute_value" }, threshold: { configuration: bounds } },
    ...{ calculation_interval: "hourly", webhook_url: "https://example.com/hook", subscribed_users: [1] },
  });
  await made(at(there, "insights/"), {
    name: "only a look",
    saved: false,
    query: { kind: "EventsQuery", select: ["*"] },
  });
  const board = await made(at(there, "dashboards/"), {
    name: "Board",
    filters: { properties: [inCohort(buyers.id as number)] },
    tags: ["daily"],
  });
  const tile = await made(at(there, `dashboards/${board.id}/tiles/`), { insight: trends.id });
  await made(at(there, `dashboards/${board.id}/tiles/`), { insight: sql.id });
  const tiles = [
    { id: tile.id, layouts: { sm: { x: 0, y: 0, w: 6, h: 5 } }, color: "blue" },
    { text: { body: "# Hello" }, layouts: { sm: { x: 6, y: 0, w: 6, h: 5 } } },
  ];
  await server.send("PATCH", at(there, `dashboards/${board.id}/`), { body: { tiles } });
  await made(at(there, "event_definitions/"), { name: "bought", description: "somebody paid", verified: true });
  await made(at(there, "property_definitions/"), { name: "price", property_type: "Numeric" });
  await made(at(there, "groups_types/"), { group_types: ["company", "team"] });
  await server.send("PATCH", at(there, ""), {
    body: {
      timezone: "Europe/Berlin",
      test_account_filters: [inCohort(listed.id as number)],
      primary_dashboard: board.id,
    },
  });
}

describe("objects of one project in another", () => {
  let first: ObjectsReport;

  test("are added once", async () => {
    await fill();
    first = await bring();
    expect(first.notes).toEqual([]);
    expect(first.counts).toEqual({
      cohort: { added: 3 },
      action: { added: 1 },
      insight: { added: 2 },
      dashboard: { added: 1 },
      annotation: { added: 2 },
      alert: { added: 1 },
      event_definition: { added: 1 },
      property_definition: { added: 1 },
      setting: { added: 3 },
    });
  });

  test("refer to each other as there", async () => {
    const [cohorts, actions, insights, boards] = [
      await named(here, "cohorts/"),
      await named(here, "actions/"),
      await named(here, "insights/"),
      await named(here, "dashboards/"),
    ];
    const [friends, buyers, both] = [cohorts.friends!, cohorts.buyers!, cohorts["buying friends"]!];
    expect(friends).toMatchObject({ is_static: true, count: 2 });
    expect(buyers.filters).toEqual(behavioral(actions.buys!.id as number));
    expect(both.filters).toEqual(all(inCohort(friends.id as number), inCohort(buyers.id as number)));
    const { source } = insights.Sales!.query as { source: Body };
    expect(source).toMatchObject({
      series: [{ kind: "ActionsNode", id: actions.buys!.id }],
      properties: [inCohort(both.id as number)],
      breakdownFilter: { breakdown: ["all", buyers.id] },
    });
    const theirs = (await named(there, "cohorts/")).friends!.id;
    expect((insights["By hand"]!.query as { source: Body }).source.query).toBe(
      `SELECT 'IN COHORT ${theirs}', count() FROM events WHERE person_id IN COHORT ${friends.id} AND matchesAction(${actions.buys!.id})`,
    );
    const board = (await server.send("GET", at(here, `dashboards/${boards.Board!.id}/`))).json as Body;
    expect(board).toMatchObject({ tags: ["daily"], filters: { properties: [inCohort(buyers.id as number)] } });
    expect(
      (board.tiles as Body[]).map(({ insight, text, color, layouts }) => [
        insight && (insight as Body).name,
        text && (text as Body).body,
        color,
        layouts,
      ]),
    ).toEqual([
      ["Sales", null, "blue", { sm: { x: 0, y: 0, w: 6, h: 5 } }],
      [null, "# Hello", null, { sm: { x: 6, y: 0, w: 6, h: 5 } }],
      ["By hand", null, null, {}],
    ]);
    const { results: notes } = (await server.send("GET", at(here, "annotations/"))).json as { results: Body[] };
    expect(Object.fromEntries(notes.map((note) => [note.content, [note.scope, note.dashboard_item]]))).toEqual({
      released: ["project", null],
      campaign: ["dashboard_item", insights.Sales!.id],
    });
    // It waits until somebody says whom it tells.
    expect((await named(here, "alerts/")).few).toMatchObject({
      ...{ insight: { id: insights.Sales!.id }, threshold: { configuration: { bounds: { lower: 2, upper: null } } } },
      ...{ calculation_interval: "hourly", enabled: false, webhook_url: null, subscribed_users: [] },
    });
    const settings = (await server.send("GET", at(here, ""))).json as Body;
    expect(settings).toMatchObject({
      timezone: "Europe/Berlin",
      test_account_filters: [inCohort(friends.id as number)],
      primary_dashboard: boards.Board!.id,
    });
    expect((await server.send("GET", at(here, "groups_types/"))).json).toMatchObject([
      { group_type: "company", group_type_index: 0 },
      { group_type: "team", group_type_index: 1 },
    ]);
  });

  test("are the same in a second run", async () => {
    const again = await bring();
    expect(again.notes).toEqual([]);
    expect(Object.values(again.counts).map((counts) => Object.keys(counts))).toEqual(Array(9).fill(["same"]));
  });

  test("that have changed are told, and stay unless asked", async () => {
    const { Sales: sales } = await named(there, "insights/");
    await server.send("PATCH", at(there, `insights/${sales!.id}/`), { body: { description: "in euros" } });
    const again = await bring();
    expect(again.notes).toMatchObject([{ kind: "insight", name: "Sales", outcome: "changed" }]);
    expect((await named(here, "insights/")).Sales!.description).toBeNull();
    const asked = await bring(here, { overwrite: true });
    expect(asked.counts.insight).toEqual({ same: 1, overwritten: 1 });
    expect((await named(here, "insights/")).Sales!.description).toBe("in euros");
  });

  test("of which some refer to what is not there are left out with the reason", async () => {
    await made(at(there, "insights/"), {
      name: "Broken",
      saved: true,
      query: { kind: "TrendsQuery", series: [{ kind: "ActionsNode", id: 987654 }] },
    });
    const again = await bring();
    expect(again.notes).toEqual([
      expect.objectContaining({
        name: "Broken",
        outcome: "left_out",
        reason: "it refers to action 987654, which is not here",
      }),
    ]);
  });

  test("are once after a run that ended anywhere", async () => {
    const objects = await readObjects(apiOf(there));
    const whole = await project("whole");
    const requests = await countedRequests(whole, async (api) => void (await bringObjects(objects, api)));
    for (let end = 1; end < requests; end += 5) {
      const to = await project(`ended after ${end}`);
      await bringObjects(objects, new EndingApi(to, end)).catch(() => null);
      const rest = await bringObjects(objects, apiOf(to));
      expect(rest.notes.map(({ name }) => name)).toEqual(["Broken"]);
      expect(await contentOf(to)).toEqual(await contentOf(whole));
    }
  });
});

/** Ends like a killed process: after so many changes nothing more is sent. */
class EndingApi extends Api {
  changes = 0;
  constructor(
    id: number,
    private readonly end: number,
  ) {
    super({ url: server.url, key: server.key, project: String(id) });
  }

  override async send(...request: Parameters<Api["send"]>): ReturnType<Api["send"]> {
    if (this.changes++ >= this.end) throw new Error("ended");
    return super.send(...request);
  }
}

async function countedRequests(id: number, run: (api: Api) => Promise<void>): Promise<number> {
  const api = new EndingApi(id, Number.POSITIVE_INFINITY);
  await run(api);
  return api.changes;
}

/** How many of each kind, and what stands on the dashboard. */
async function contentOf(id: number): Promise<unknown> {
  const counts: Record<string, string[]> = {};
  for (const path of ["cohorts/", "actions/", "insights/", "dashboards/", "alerts/"]) {
    counts[path] = Object.keys(await named(id, path)).sort();
    const { count } = (await server.send("GET", at(id, path))).json as { count: number };
    expect(count).toBe(counts[path].length);
  }
  const { Board: board } = await named(id, "dashboards/");
  const { tiles } = (await server.send("GET", at(id, `dashboards/${board!.id}/`))).json as { tiles: Body[] };
  const { results: notes } = (await server.send("GET", at(id, "annotations/"))).json as { results: Body[] };
  counts.notes = notes.map(({ content }) => String(content)).sort();
  return { counts, tiles: tiles.map(({ layouts, color, text }) => [layouts, color, (text as Body | null)?.body]) };
}
