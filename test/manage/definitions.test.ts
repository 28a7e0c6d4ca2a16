import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noteEvents, noteProperties, readDataVersion } from "../../src/metadata/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { join } from "./team.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const properties = "/api/projects/1/property_definitions/";
const events = "/api/projects/1/event_definitions/";
const send = async (method: string, path: string, body?: object) => {
  const { status, json } = await server.send(method, path, body && { body });
  return { status, json: json as JsonObject & { id: string; results: JsonObject[] } };
};
const names = async (path: string) => (await send("GET", path)).json.results.map(({ name }) => name);
const version = () => server.db.read((tx) => readDataVersion(tx, 1));
const seen = (name: string, propertyType: "String" | "Numeric" | null, type: "event" | "person" = "event") =>
  server.db.write((tx) =>
    noteProperties(tx, 1, [{ owner: { type }, name, propertyType }], { nowMs: server.nowMs, max: 100 }),
  );

describe("definitions of properties", () => {
  test("are made, found by id and by name, listed and changed", async () => {
    const made = await send("POST", properties, { name: "a/b c", property_type: "Numeric", tags: ["B", "a"] });
    expect(made).toMatchObject({
      status: 201,
      json: { name: "a/b c", type: "event", property_type: "Numeric", is_numerical: true, tags: ["a", "b"] },
    });
    expect((await send("GET", `${properties}${made.json.id}/`)).json).toEqual(made.json);
    const byName = `${properties}${encodeURIComponent("a/b c")}/`;
    expect((await send("GET", byName)).json).toEqual(made.json);
    expect((await send("GET", `${byName}?type=person`)).status).toBe(404);
    expect((await send("PATCH", byName, { property_type: "String" })).json).toMatchObject({ property_type: "String" });
    expect((await send("PATCH", byName, { property_type: "Text" })).json).toMatchObject({ code: "invalid_choice" });
    expect((await send("POST", properties, { name: "a/b c" })).json).toMatchObject({ attr: "name", code: "unique" });
    await send("POST", properties, { name: "a/b c", type: "person", property_type: "Boolean" });
    await send("POST", properties, { name: "size", type: "group", group_type_index: 2 });
    expect(await names(`${properties}?type=person`)).toEqual(["a/b c"]);
    expect(await names(`${properties}?type=group&group_type_index=2`)).toEqual(["size"]);
    expect(await names(`${properties}?type=group&group_type_index=1`)).toEqual([]);
    expect((await send("POST", properties, { name: "size", type: "group" })).json).toMatchObject({
      attr: "group_type_index",
    });
  });

  test("a list is narrowed", async () => {
    for (const [name, property_type] of Object.entries({ price: "Numeric", plan: "String", place: null })) {
      await send("POST", properties, { name, property_type });
    }
    await send("PATCH", `${properties}place/`, { hidden: true });
    expect(await names(`${properties}?search=PL`)).toEqual(["place", "plan"]);
    expect(await names(`${properties}?search=pl&exclude_hidden=true`)).toEqual(["plan"]);
    expect(await names(`${properties}?search=p&is_numerical=true`)).toEqual(["price"]);
    expect(await names(`${properties}?properties=price,plan,nothing`)).toEqual(["plan", "price"]);
    expect(await names(`${properties}?search=p&excluded_properties=["place","plan"]`)).toEqual(["price"]);
    expect(await names(`${properties}?search=%25`)).toEqual([]);
  });

  test("what arrives is noted: the first type stays, and so does what somebody said", async () => {
    await seen("later", null);
    const before = await version();
    await seen("later", "Numeric");
    expect(await version()).toBeGreaterThan(before);
    await seen("later", "String");
    const typeOf = async (name: string) => (await send("GET", `${properties}${name}/`)).json.property_type;
    expect(await typeOf("later")).toBe("Numeric");
    await send("PATCH", `${properties}later/`, { property_type: null });
    await seen("later", "Numeric");
    expect(await typeOf("later")).toBeNull();
    const after = await version();
    await seen("later", "Numeric");
    expect(await version()).toBe(after);
  });

  test("what arrives makes no more than there is room for", async () => {
    const many = Array.from({ length: 120 }, (_, i) => `many ${i}`);
    for (const name of many) await seen(name, "String");
    expect((await send("GET", `${properties}?search=many`)).json.count).toBeLessThan(100);
    expect((await send("GET", `${properties}many%200/`)).status).toBe(200);
  });
});

describe("definitions of events", () => {
  test("are made, seen, found, listed and changed", async () => {
    const note = (...list: string[]) =>
      server.db.write((tx) => noteEvents(tx, 1, list, { nowMs: server.nowMs, max: 3 }));
    await send("POST", events, { name: "planned" });
    await note("$pageview", "planned");
    await note("buy", "one too many");
    expect(await names(events)).toEqual(["$pageview", "buy", "planned"]);
    const now = new Date(server.nowMs).toISOString();
    expect((await send("GET", `${events}planned/`)).json).toMatchObject({ last_seen_at: now });
    const changed = await send("PATCH", `${events}buy/`, { description: "Somebody paid", verified: true });
    expect(changed.json).toMatchObject({ name: "buy", verified: true, updated_by: { id: 1 } });
    expect(await names(`${events}?search=PAID`)).toEqual(["buy"]);
    expect(await names(`${events}?search=paid%20BUY%20some`)).toEqual(["buy"]);
    expect(await names(`${events}?search=paid%20view`)).toEqual([]);
    expect((await send("GET", `${events}nothing/`)).status).toBe(404);
  });

  test("tell the log what was changed", async () => {
    const { id } = (await send("POST", events, { name: "logged" })).json;
    await send("PATCH", `${events}${id}/`, { tags: ["x"] });
    const { results } = (await send("GET", `/api/projects/1/activity_log/?item_id=${id}`)).json;
    expect(results).toMatchObject([
      {
        activity: "updated",
        scope: "EventDefinition",
        detail: { name: "logged", changes: [{ field: "tags", before: [], after: ["x"] }] },
      },
      { activity: "created" },
    ]);
  });

  test("are listed by who gave the name, and by what somebody said of them", async () => {
    for (const name of ["own", "$sdk"]) await send("POST", events, { name });
    expect(await names(`${events}?event_type=event_posthog`)).toEqual(["$pageview", "$sdk"]);
    expect(await names(`${events}?event_type=event_custom`)).toEqual(["buy", "logged", "own", "planned"]);
    await send("PATCH", `${events}own/`, { hidden: true });
    expect(await names(`${events}?hidden=true`)).toEqual(["own"]);
    expect(await names(`${events}?exclude_hidden=true&event_type=event_custom`)).toEqual(["buy", "logged", "planned"]);
    expect(await names(`${events}?verified=true`)).toEqual(["buy"]);
    await send("POST", properties, { name: "$sdk_price" });
    expect(await names(`${properties}?search=price&exclude_core_properties=true`)).toEqual(["price"]);
  });

  test("are never hidden and verified at once", async () => {
    const both = await send("PATCH", `${events}buy/`, { hidden: true, verified: true });
    expect(both).toMatchObject({
      status: 400,
      json: { attr: null, code: "invalid_input", detail: "An event cannot be both hidden and verified" },
    });
    const mark = async (change: object) => (await send("PATCH", `${events}buy/`, change)).json;
    expect(await mark({ hidden: true })).toMatchObject({ hidden: true, verified: false });
    expect(await mark({ verified: true })).toMatchObject({ hidden: false, verified: true });
    expect(await mark({ description: "Paid" })).toMatchObject({ hidden: false, verified: true });
  });

  test("can be forgotten, until they arrive again", async () => {
    const { id } = (await send("POST", events, { name: "mistyped", description: "x" })).json;
    expect((await send("DELETE", `${events}mistyped/`)).status).toBe(204);
    expect((await send("GET", `${events}mistyped/`)).status).toBe(404);
    const [entry] = (await send("GET", `/api/projects/1/activity_log/?item_id=${id}`)).json.results;
    expect(entry).toMatchObject({ activity: "deleted", detail: { name: "mistyped" } });
    await server.db.write((tx) => noteEvents(tx, 1, ["mistyped"], { nowMs: server.nowMs, max: 100 }));
    expect((await send("GET", `${events}mistyped/`)).json).toMatchObject({ description: "" });
    await send("POST", properties, { name: "typed wrong", property_type: "Numeric" });
    const before = await version();
    expect((await send("DELETE", `${properties}typed%20wrong/`)).status).toBe(204);
    expect(await version()).toBeGreaterThan(before);
  });
});

describe("where a definition is used", () => {
  const insight = async (name: string, query: JsonObject) =>
    (await send("POST", "/api/projects/1/insights/", { name, query })).json.id as unknown as number;
  const trends = (series: JsonObject): JsonObject => ({
    kind: "InsightVizNode",
    source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", ...series }] },
  });
  const sql = (query: string): JsonObject => ({ kind: "DataVisualizationNode", source: { kind: "HogQLQuery", query } });
  const used = async (path: string) => {
    const { json } = await send("GET", `${path}uses/`);
    const found = Object.entries(json as Record<string, { name: string }[] | null>);
    return Object.fromEntries(found.map(([kind, list]) => [kind, list?.map(({ name }) => name).sort()]));
  };

  test("is told of insights, also of SQL, of actions and of cohorts", async () => {
    for (const name of ["it's paid", "it's", "paid"]) await send("POST", events, { name });
    await send("POST", properties, { name: "coupon" });
    await send("POST", properties, { name: "coupon", type: "person" });
    await insight("by event", trends({ event: "it's paid" }));
    await insight(
      "by filter",
      trends({ event: "x", properties: [{ key: "coupon", type: "event", operator: "is_set" }] }),
    );
    await insight("by breakdown", {
      kind: "InsightVizNode",
      source: {
        kind: "TrendsQuery",
        series: [],
        breakdownFilter: { breakdowns: [{ property: "coupon", type: "person" }] },
      },
    });
    await insight(
      "by text",
      sql("select count() from events where event = 'it\\'s paid' and properties.coupon = 'it''s'"),
    );
    await insight("of persons", sql("select person.properties['coupon'] from events"));
    const steps = [
      { event: "it's paid", properties: [{ key: "coupon", value: "a", operator: "exact", type: "event" }] },
    ];
    await send("POST", "/api/projects/1/actions/", { name: "Payment", steps });
    const did = { type: "behavioral", value: "performed_event", key: "it's paid", event_type: "events" };
    const values = [{ ...did, time_value: 30, time_interval: "day" }];
    await send("POST", "/api/projects/1/cohorts/", { name: "Payers", filters: { properties: { type: "OR", values } } });
    expect(await used(`${events}${encodeURIComponent("it's paid")}/`)).toEqual({
      insights: ["by event", "by text"],
      actions: ["Payment"],
      cohorts: ["Payers"],
    });
    expect(await used(`${events}${encodeURIComponent("it's")}/`)).toEqual({
      insights: ["by text"],
      actions: [],
      cohorts: [],
    });
    expect(await used(`${events}paid/`)).toEqual({ insights: [], actions: [], cohorts: [] });
    const ofEvents = { insights: ["by filter", "by text"], actions: ["Payment"], cohorts: [] };
    expect(await used(`${properties}coupon/`)).toEqual(ofEvents);
    expect((await send("GET", `${properties}coupon/uses/?type=person`)).json.insights).toMatchObject([
      { name: "of persons" },
      { name: "by breakdown" },
    ]);
  });

  test("leaves out what a key may not read, and what is closed to a member", async () => {
    const uses = `${events}${encodeURIComponent("it's paid")}/uses/`;
    const narrow = await server.createKey({ scopes: ["event_definition:read", "action:write"] });
    const answer = (await server.send("GET", uses, { key: narrow.value })).json;
    expect(answer).toMatchObject({ insights: null, actions: [{ name: "Payment" }], cohorts: null });
    const { results } = (await send("GET", "/api/projects/1/insights/?search=by%20event")).json;
    await send("PUT", `/api/projects/1/insights/${results[0]!.id}/access_controls/`, { access_level: "none" });
    const { browser } = await join(server);
    expect((await browser.send("GET", uses)).json).toMatchObject({ insights: [{ name: "by text" }] });
  });
});
