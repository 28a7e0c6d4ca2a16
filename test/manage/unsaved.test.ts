import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

const PATH = "/api/projects/1/";
const HOUR = 3_600_000;

let server: ManageServer;
let lake: StoredLake;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  const { nowMs } = server;
  const clicked = { $current_url: "https://shop.example/cart", $elements_chain: "" };
  await lake.store(1, {
    events: [
      { event: "buy", distinctId: "ann", timestampMs: nowMs - HOUR, properties: clicked },
      { event: "buy", distinctId: "ben", timestampMs: nowMs - 2 * HOUR },
      { event: "buy", distinctId: "ben", timestampMs: nowMs - 40 * 24 * HOUR },
      { event: "view", distinctId: "cy", timestampMs: nowMs - HOUR },
    ],
    persons: [
      { distinctIds: ["ann"], properties: { plan: "pro" } },
      { distinctIds: ["ben"], properties: { plan: "free" } },
      { distinctIds: ["cy"], properties: { plan: "pro" } },
    ],
    groups: [],
  });
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

async function send(method: string, path: string, body?: object, key?: string) {
  const { status, json } = await server.send(method, PATH + path, { body, ...(key !== undefined && { key }) });
  return { status, json: json as JsonObject & { id: number; results: JsonObject[] } };
}
const did = {
  type: "behavioral",
  value: "performed_event",
  key: "buy",
  event_type: "events",
  time_value: 7,
  time_interval: "day",
};
const isPro = { type: "person", key: "plan", operator: "exact", value: ["pro"] };

test("a cohort that is not saved has a size", async () => {
  const sizeOf = async (type: string, values: object[]) =>
    (await send("POST", "cohorts/size/", { filters: { properties: { type, values } } })).json;
  expect(await sizeOf("AND", [did])).toEqual({ count: 2, total: 3 } as never);
  expect(await sizeOf("AND", [did, isPro])).toMatchObject({ count: 1 });
  expect(await sizeOf("OR", [{ type: "AND", values: [did] }, isPro])).toMatchObject({ count: 3 });
  const { id } = (await send("POST", "cohorts/", { filters: { properties: { type: "AND", values: [isPro] } } })).json;
  expect(await sizeOf("AND", [did, { type: "cohort", value: id }])).toMatchObject({ count: 1 });
  expect((await send("GET", "cohorts/")).json.results).toHaveLength(1);
  expect((await send("POST", "cohorts/size/", {})).status).toBe(400);
  expect((await send("POST", "cohorts/size/", { filters: {} })).json).toMatchObject({ attr: "filters__properties" });
  expect(await sizeOf("AND", [{ ...did, value: "flew" }])).toMatchObject({ attr: "filters", code: "invalid_input" });
});

test("an action that is not saved shows what it would match", async () => {
  const preview = async (steps: object[], limit?: number) =>
    (await send("POST", "actions/preview/", { steps, limit })).json;
  expect(await preview([{ event: "buy" }])).toMatchObject({
    count: 2,
    days: 30,
    results: [
      { event: "buy", distinct_id: "ann", url: "https://shop.example/cart", text: null },
      { event: "buy", distinct_id: "ben", url: null },
    ],
  });
  expect(await preview([{ event: "buy", url: "/cart" }, { event: "view" }])).toMatchObject({ count: 2 });
  expect(await preview([{ event: "buy" }], 1)).toMatchObject({ count: 2, results: [{ distinct_id: "ann" }] });
  expect(await preview([{ event: "buy" }], 0)).toMatchObject({ count: 2, results: [] });
  expect(await preview([])).toEqual({ count: 0, days: 30, results: [] } as never);
  expect((await send("POST", "actions/preview/", { steps: [], limit: 101 })).status).toBe(400);
  const bad = [{ event: "$autocapture", selector: "a >>> b" }];
  expect(await preview(bad)).toMatchObject({ attr: "steps", code: "invalid_input" });
  expect((await send("GET", "actions/")).json.results).toEqual([]);
});

test.each<[string, object]>([
  ["steps.0.url", { event: "buy", url: "/(cart", url_matching: "regex" }],
  ["steps.0.text", { event: "$autocapture", text: "a{2000}", text_matching: "regex" }],
  ["steps.0.href", { event: "$autocapture", href: "(?=x)", href_matching: "regex" }],
  ["steps.0.properties.0.value", { properties: [{ type: "event", key: "plan", operator: "regex", value: "[" }] }],
])("an action with a regular expression in %s that is none is not saved", async (place, wrong) => {
  const refused = {
    attr: "steps",
    code: "invalid_input",
    detail: expect.stringContaining(`${place}: is not a regular`),
  };
  for (const path of ["actions/", "actions/preview/"]) {
    expect(await send("POST", path, { steps: [wrong] })).toMatchObject({ status: 400, json: refused });
  }
  const steps = [
    { event: "buy", url: "^/cart(?i:x)?$", url_matching: "regex" },
    { event: "buy", url: "(", url_matching: "contains" },
  ];
  const { status, json } = await send("POST", "actions/", { steps });
  expect(status).toBe(201);
  const path = `actions/${json.id}/`;
  expect(await send("PATCH", path, { steps: [...steps, wrong] })).toMatchObject({
    status: 400,
    json: { detail: expect.stringContaining(place.replace("0", "2")) },
  });
  expect((await send("PATCH", path, { deleted: true })).status).toBe(200);
});

test("cohorts and actions say where they are used", async () => {
  const cohort = (await send("POST", "cohorts/", { name: "o'hara", is_static: true, csv: "ann" })).json.id;
  const action = (await send("POST", "actions/", { name: "buying", steps: [{ event: "buy" }] })).json.id;
  const inIt = { type: "cohort", key: "id", value: cohort };
  const sql = (query: string) => ({ kind: "HogQLQuery", query });
  const saved = async (name: string, query: object) => (await send("POST", "insights/", { name, query })).json.id;
  await saved("filter", { kind: "TrendsQuery", series: [{ kind: "ActionsNode", id: action }], properties: [inIt] });
  await saved("by id", sql(`select 1 from persons where id in cohort ${cohort}`));
  await saved("by name", sql("select 1 from persons where id IN COHORT 'o\\'hara'"));
  await saved("another", sql(`select 1 from persons where id in cohort ${cohort}1`));
  await saved("breakdown", { kind: "TrendsQuery", breakdownFilter: { breakdown_type: "cohort", breakdown: [cohort] } });
  await saved("words", sql(`select count() from events where matchesAction(${action})`));
  const values = [inIt, { ...did, event_type: "actions", key: action }];
  await send("POST", "cohorts/", { name: "nested", filters: { properties: { type: "AND", values } } });
  await send("POST", "actions/", { name: "of them", steps: [{ event: "buy", properties: [inIt] }] });
  const uses = async (path: string, key?: string) => {
    const { json } = await send("GET", `${path}/used_in/`, undefined, key);
    return Object.fromEntries(
      Object.entries(json as unknown as Record<string, { results: { name: string }[]; total: number }>).map(
        ([kind, { results, total }]) => [kind, [total, ...results.map(({ name }) => name).sort()]],
      ),
    );
  };
  expect(await uses(`cohorts/${cohort}`)).toEqual({
    feature_flags: [0],
    insights: [4, "breakdown", "by id", "by name", "filter"],
    cohorts: [1, "nested"],
    actions: [1, "of them"],
  });
  expect(await uses(`actions/${action}`)).toEqual({
    feature_flags: [0],
    insights: [2, "filter", "words"],
    cohorts: [1, "nested"],
    actions: [0],
  });
  await send("PUT", "resource_access_controls/", { resource: "insight", access_level: "none" });
  const { id: userId } = await userElse(server);
  const { value: key } = await server.createKey({ userId, scopes: ["cohort:read"], level: "member" });
  expect(await uses(`cohorts/${cohort}`, key)).toMatchObject({ insights: [0], cohorts: [1, "nested"] });
});
