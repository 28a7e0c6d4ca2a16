import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noteEvents, noteProperties, readDataVersion } from "../../src/metadata/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

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
});
