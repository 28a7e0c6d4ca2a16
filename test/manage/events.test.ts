import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const HOUR = 3_600_000;
const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;
const ANN = personIdOf(1, "ann");

let server: ManageServer;
let lake: StoredLake;
let now: number;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  now = server.nowMs;
  const old = Array.from({ length: 5 }, (_, i) => ({
    event: "old",
    distinctId: "old",
    timestampMs: now - (100 + i) * HOUR,
    uuid: uuid(10 + i),
  }));
  const events = [
    { event: "$pageview", distinctId: "anon", properties: { plan: "professional", n: 1 } },
    { event: "buy", distinctId: "ann", properties: { plan: "Pro", tags: ["red", "dark red", 5] } },
    { event: "buy", distinctId: "bob", properties: { plan: "Pro" } },
    { event: "look", distinctId: "ghost", properties: { plan: "free" } },
  ].map((event, i) => ({ ...event, timestampMs: now - i * HOUR, uuid: uuid(i) }));
  await lake.store(1, {
    events: [...events, ...old],
    persons: [
      {
        distinctIds: ["ann", "anon"],
        properties: { email: "ann@a.com", plan: "pro" },
        createdAtMs: now,
        isIdentified: true,
      },
      { distinctIds: ["bob"], properties: { name: "Bob" }, createdAtMs: now - HOUR },
      { distinctIds: ["old"], createdAtMs: now - 2 * HOUR },
    ],
    groups: [],
  });
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

type Page = { next: string | null; results: Row[] };
type Row = JsonObject & { id: string };
const get = async (path: string) => {
  const { status, json, headers } = await server.send("GET", `/api/projects/1/${path}`);
  return { status, headers, json: json as JsonObject & Page };
};
const ids = async (path: string) => (await get(path)).json.results.map(({ id }) => Number(id.slice(-12)));
const query = (parameters: { [name: string]: Json }) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`)
    .join("&");

describe("GET events/", () => {
  test("shows whole events and what names their persons", async () => {
    const { results, next } = (await get("events/?limit=2")).json;
    expect(results[0]).toEqual({
      id: uuid(0),
      distinct_id: "anon",
      properties: { plan: "professional", n: 1 },
      event: "$pageview",
      timestamp: new Date(now).toISOString().replace("Z", "+00:00"),
      person: { is_identified: true, distinct_ids: ["anon"], properties: { email: "ann@a.com" } },
      elements: [],
      elements_chain: "",
    });
    expect(new URL(next!).searchParams.get("before")).toBe(`${new Date(now - HOUR).toISOString()}_${uuid(1)}`);
  });

  test("pages lead through all events, either way", async () => {
    for (const order of ["", "&orderBy=[%22timestamp%22]"]) {
      const seen: string[] = [];
      let path: string | null = `events/?limit=4${order}`;
      while (path !== null) {
        const { results, next }: Page = (await get(path)).json;
        seen.push(...results.map(({ id }) => id));
        path = next === null ? null : next.slice(next.indexOf("/1/") + 3);
      }
      const expected = [0, 1, 2, 3, 10, 11, 12, 13, 14].map(uuid);
      expect(seen).toEqual(order === "" ? expected : expected.reverse());
    }
  });

  test("pages lead through events of equal time, either way", async () => {
    const project = Number(
      ((await server.send("POST", "/api/projects/", { body: { name: "equal" } })).json as { id: number }).id,
    );
    const events = Array.from({ length: 25 }, (_, i) => {
      const age = i < 12 ? HOUR : 100 * HOUR;
      return { event: "same", distinctId: "ann", timestampMs: now - age, uuid: uuid(300 + ((i * 7) % 25)) };
    });
    await lake.store(project, { events, persons: [{ distinctIds: ["ann"] }], groups: [] });
    const quoted = `&orderBy=${encodeURIComponent("`timestamp` asc -- not desc")}`;
    for (const more of [
      "",
      "&orderBy=[%22timestamp%22]",
      "&orderBy=-timestamp",
      "&orderBy=event",
      "&select=uuid",
      quoted,
    ]) {
      const seen: string[] = [];
      let path: string | null = `/api/projects/${project}/events/?limit=4${more}`;
      while (path !== null) {
        const { results, next }: Page = (await server.send("GET", path)).json;
        seen.push(...results.map((row) => (Array.isArray(row) ? String(row[0]) : row.id)));
        path = next === null ? null : next.slice(server.url.length);
      }
      expect(seen.length).toBe(25);
      expect(new Set(seen)).toEqual(new Set(events.map((event) => event.uuid)));
    }
  });

  test("select and where are HogQL", async () => {
    const rows = async (parameters: string) => (await get(`events/?${parameters}`)).json;
    const buys = query({ select: ["event", "properties.plan -- Plan"], where: ["event = 'buy'"] });
    expect(await rows(buys)).toEqual({
      next: null,
      results: [
        ["buy", "Pro"],
        ["buy", "Pro"],
      ],
      columns: ["event", "properties.plan -- Plan"],
      types: ["String", "Nullable(String)"],
      hasMore: false,
    } as never);
    expect((await rows(query({ select: ["event", "count()"], limit: 2 }))).results as unknown).toEqual([
      ["old", 5],
      ["buy", 2],
    ]);
    const latest = query({ select: ["distinct_id"], orderBy: ["timestamp DESC"], limit: 2 });
    expect((await rows(latest)).results as unknown).toEqual([["anon"], ["ann"]]);
    expect(await ids(`events/?${query({ where: ["event = 'buy'", "distinct_id != 'ann'"] })}`)).toEqual([2]);
    expect(await ids("events/?where=event='buy'&where=distinct_id='ann'")).toEqual([1]);
    expect(await ids("events/?where=person.properties.name='Bob'&select=[]")).toEqual([2]);
    const { json } = await get(`events/?${buys}&action_id=99`);
    expect(json).toEqual({ next: null, results: [], columns: [], types: [], hasMore: false });
    const csv = await server.send("GET", `/api/projects/1/events/?${buys}&format=csv`);
    expect([csv.status, csv.text]).toEqual([200, "event,properties.plan -- Plan\r\nbuy,Pro\r\nbuy,Pro\r\n"]);
  });

  test("filters of several properties parameters must all hold", async () => {
    const filters = (key: string, value: string) => query({ properties: [{ key, value }] });
    expect(await ids(`events/?${filters("plan", "Pro")}&${filters("tags", "red")}`)).toEqual([]);
    const either = query({
      properties: { type: "OR", values: ["Pro", "free"].map((value) => ({ key: "plan", value })) },
    });
    expect(await ids(`events/?${either}`)).toEqual([1, 2, 3]);
    expect(await ids(`events/?${either}&properties=&${filters("plan", "free")}`)).toEqual([3]);
  });

  test("a link never repeats the key", async () => {
    for (const name of ["a", "b"]) await server.send("POST", "/api/projects/1/actions/", { body: { name } });
    const lists = ["events/", "persons/", "actions/", "activity_log/"];
    for (const path of lists.map((list) => `${list}?limit=1&`).concat("persons/?limit=1&offset=1&")) {
      const url = `/api/projects/1/${path}personal_api_key=${server.key}`;
      const { json } = await server.send("GET", url, { key: null });
      const { next, previous } = json as { next: string; previous?: string };
      for (const link of [next, previous]) expect(link ?? "").not.toContain(server.key);
      expect((await server.send("GET", next.slice(server.url.length))).status).toBe(200);
    }
    const { json } = await server.send("GET", `/api/projects/?limit=1&offset=1&personal_api_key=${server.key}`, {
      key: null,
    });
    expect((json as { previous: string }).previous).toBe(`${server.url}/api/projects/?limit=1`);
  });

  test.each<[{ [name: string]: Json }, number[]]>([
    [{ after: "-24h" }, [0, 1, 2, 3]],
    [{ after: "-90M", before: "2026-01-15T12:00:00Z" }, [1]],
    [{ event: "buy" }, [1, 2]],
    [{ distinct_id: "ann" }, [1]],
    [{ person_id: ANN }, [0, 1]],
    [{ person_id: "5" }, []],
    [{ action_id: "99" }, []],
    [{ properties: [{ key: "plan", value: "Pro" }], limit: 1, offset: 1 }, [2]],
    [{ properties: [{ key: "plan", value: "pro", type: "person" }] }, [0, 1]],
    [{ limit: 3, orderBy: ["timestamp"] }, [14, 13, 12]],
  ])("%j", async (parameters, expected) => {
    expect(await ids(`events/?${query(parameters)}`)).toEqual(expected);
  });

  test("of an action", async () => {
    const body = { name: "a", steps: [{ event: "buy", properties: [{ key: "tags", operator: "is_set", value: "" }] }] };
    const { id } = (await server.send("POST", "/api/projects/1/actions/", { body })).json as { id: number };
    expect(await ids(`events/?action_id=${id}`)).toEqual([1]);
  });

  test.each([
    ["events/?properties={nonsense", "Properties are unparsable!"],
    ["events/?limit=many", "A valid integer is required."],
    ["events/?properties=[]&properties=5", "Properties are unparsable!"],
    ["persons/?properties=[]&properties=5", "Properties are unparsable!"],
    ["events/?after=nonsense", expect.stringContaining('after: "nonsense" is no date')],
    ["events/?before=2026-02-30&action_id=99", expect.stringContaining('before: "2026-02-30" is no date')],
    ["events/?select=nothing", expect.stringContaining("Unable to resolve field: nothing")],
    ["events/?where=event%20=", expect.any(String)],
    ["events/?where=event", "A condition must be a boolean, not a string."],
    ["events/?where=[1]", "This must be a JSON list of HogQL expressions, each of them a text."],
    ["events/?orderBy=nothing", expect.stringContaining("Unable to resolve field: nothing")],
    ["events/values/", "You must provide a key"],
  ])("%s is refused", async (path, detail) => {
    expect(await get(path)).toMatchObject({ status: 400, json: { detail } });
  });

  test("one by its uuid", async () => {
    expect((await get(`events/${uuid(14)}/`)).json).toMatchObject({ id: uuid(14), event: "old", person: null });
    expect((await get(`events/${uuid(1)}/?include_person=true`)).json).toMatchObject({
      person: { is_identified: true },
    });
    expect(await get(`events/${uuid(99)}/`)).toMatchObject({
      status: 404,
      json: { detail: `No events exist for event UUID ${uuid(99)}` },
    });
    expect(await get("events/me/")).toMatchObject({ status: 400, json: { detail: "Invalid UUID", code: "invalid" } });
  });

  test.each<[string, string[]]>([
    ["key=plan", ["Pro", "free", "professional"]],
    ["key=plan&value=PRO", ["Pro", "professional"]],
    ["key=plan&event_name=look&event_name=$pageview", ["free", "professional"]],
    ["key=plan&properties_n=1", ["professional"]],
    ["key=tags", ["red", "dark red", "5"]],
    ["key=tags&value=dark", ["dark red"]],
    ["key=nothing", []],
    ["key=event&is_column=true", ["old", "buy", "$pageview", "look"]],
    ["key=event&is_column=true&value=O", ["old", "look"]],
    ["key=distinct_id&is_column=true&event_name=buy", ["ann", "bob"]],
    ["key=person_id&is_column=true&event_name=$pageview", [ANN]],
    ["key=properties&is_column=true", []],
    ["key=event", []],
    ["key=custom_event", ["buy", "look", "old"]],
  ])("values: %s", async (parameters, expected) => {
    const { json, headers } = await get(`events/values/?${parameters}`);
    expect(json as unknown).toEqual(expected.map((name) => ({ name })));
    // A proxy's cache must not have what one user may see.
    expect(headers.get("cache-control")).toBe("private, max-age=10");
    expect(headers.get("vary")).toBe("Authorization, Cookie");
  });

  test("values of events with one of many names are those of a few", async () => {
    const many = Array.from({ length: 300 }, (_, i) => `&event_name=none${i}`).join("");
    const { json } = await get(`events/values/?key=plan&event_name=look&event_name=$pageview${many}`);
    expect(json as unknown).toEqual(["free", "professional"].map((name) => ({ name })));
  });
});

describe("GET persons/", () => {
  test("shows persons as they are now, the newest first, in pages", async () => {
    const { results, next } = (await get("persons/?limit=2")).json;
    expect(results).toEqual([
      {
        id: ANN,
        uuid: ANN,
        name: "ann@a.com",
        distinct_ids: ["ann", "anon"],
        properties: { email: "ann@a.com", plan: "pro" },
        is_identified: true,
        created_at: new Date(now).toISOString(),
      },
      expect.objectContaining({ name: "Bob", distinct_ids: ["bob"], is_identified: false }),
    ]);
    const second = (await get(next!.slice(next!.indexOf("/1/") + 3))).json;
    expect(second).toMatchObject({ next: null, results: [{ name: "old" }] });
    expect((await get(`persons/${ANN}/`)).json as JsonObject).toEqual(results[0]!);
    expect((await get("persons/me/")).status).toBe(404);
  });

  test.each<[{ [name: string]: Json }, string[]]>([
    [{ distinct_id: "anon" }, ["ann@a.com"]],
    [{ email: "ann@a.com" }, ["ann@a.com"]],
    [{ search: "BO" }, ["Bob"]],
    [{ search: "a.com" }, ["ann@a.com"]],
    [{ properties: [{ type: "person", key: "plan", operator: "is_not_set", value: "" }] }, ["Bob", "old"]],
  ])("%j", async (parameters, expected) => {
    const { results } = (await get(`persons/?${query(parameters)}`)).json;
    expect(results.map(({ name }) => name)).toEqual(expected);
  });

  test("of a cohort, by the names that the environment wants", async () => {
    const body = { name: "s", is_static: true, csv: "anon\nbob\n" };
    const { id } = (await server.send("POST", "/api/projects/1/cohorts/", { body })).json as { id: number };
    const names = { person_display_name_properties: ["plan", "name"] };
    await server.send("PATCH", "/api/projects/1/environments/1/", { body: names });
    const { results } = (await get(`persons/?cohort=${id}`)).json;
    expect(results.map(({ name }) => name)).toEqual(["pro", "Bob"]);
    expect((await get(`cohorts/${id}/persons/?limit=1`)).json).toMatchObject({ results: [{ name: "pro" }] });
    expect((await get("persons/?cohort=999")).status).toBe(400);
  });
});
