import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { HogqlError, type QueryContext } from "../../src/query/mod.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

type Insight = Record<string, unknown> & {
  id: number;
  short_id: string;
  created_at: string;
  last_refresh: string | null;
};

let server: ManageServer;
/** Calls of the query layer so far. */
let calls: { node: unknown; context: QueryContext }[] = [];

beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());
beforeEach(() => {
  calls = [];
  server.answerQueries(async (node, context) => {
    calls.push({ node, context });
    return { results: [{ data: [calls.length] }], hasMore: false, hogql: "SELECT 1" };
  });
});

const insights = "/api/environments/1/insights/";
const create = async (body: object, path = insights) => (await server.send("POST", path, { body })).json as Insight;
const get = async (id: number, query = "") => (await server.send("GET", `${insights}${id}/${query}`)).json as Insight;
const patch = (id: number, body: object) => server.send("PATCH", `${insights}${id}/`, { body });
const list = async (query: string) =>
  (await server.send("GET", insights + query)).json as { count: number; results: Insight[]; previous: string | null };

/** Every field of PostHog's insights, and what clients see beside them: the cache key, alerts. */
const INSIGHT_FIELDS =
  "id short_id name derived_name filters query order deleted dashboards dashboard_tiles last_refresh cache_target_age next_allowed_client_refresh result hasMore columns created_at created_by description updated_at tags favorited saved last_modified_at last_modified_by is_sample effective_restriction_level effective_privilege_level user_access_level timezone is_cached query_status hogql resolved_date_range types filters_hash alerts".split(
    " ",
  );

describe("insights", () => {
  test("an empty body makes one with the defaults, and all documented fields", async () => {
    const made = await create({});
    expect(Object.keys(made).sort()).toEqual([...INSIGHT_FIELDS].sort());
    expect(made).toMatchObject({
      name: null,
      derived_name: null,
      filters: {},
      query: null,
      order: null,
      deleted: false,
      saved: false,
      favorited: false,
      tags: [],
      dashboards: [],
      dashboard_tiles: [],
      result: null,
      is_cached: false,
      created_by: { id: 1, is_email_verified: false, hedgehog_config: {} },
    });
    expect(made.short_id).toMatch(/^[A-Za-z0-9]{8}$/);
    expect(await get(made.id)).toEqual(made);
  });

  test("shows legacy filters as the query that they mean", async () => {
    const made = await create({ filters: { events: [{ id: "a" }] } });
    const source = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
    expect(made).toMatchObject({ filters: {}, query: { kind: "InsightVizNode", source } } as never);
    expect(await create({ filters: { insight: "ELSEWHERE" } })).toMatchObject({
      filters: { insight: "ELSEWHERE" },
      query: null,
    });
  });

  test("keeps the query as it was sent, and no filters beside it", async () => {
    const query = { kind: "DataTableNode", source: { kind: "EventsQuery", select: ["*"] }, showOpenEditorButton: true };
    expect(await create({ query, filters: { insight: "TRENDS" } })).toMatchObject({ query, filters: {} });
  });

  test.each([
    [{ query: "not a valid query" }, "parse_error", null],
    [{ query: {} }, "parse_error", null],
    [{ query: { kind: "Tomato Soup" } }, "parse_error", null],
    [{ query: { kind: "InsightVizNode" } }, "parse_error", null],
    [{ query: { kind: "InsightVizNode", source: { kind: "Soup" } } }, "parse_error", null],
    [{ name: "x".repeat(401) }, "max_length", "name"],
    [{ order: 2 ** 31 }, "max_value", "order"],
    [{ order: 1.5 }, "invalid_input", "order"],
    [{ deleted: "perhaps" }, "invalid_input", "deleted"],
    [{ filters: [] }, "invalid_input", "filters"],
    [{ tags: "a" }, "not_a_list", "tags"],
    [{ dashboards: [5] }, "does_not_exist", "dashboards"],
  ])("%j is refused as %s", async (body, code, attr) => {
    const reply = await server.send("POST", insights, { body });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ code, attr } as never);
  });

  test("read-only fields are ignored", async () => {
    const made = await create({ name: "a" });
    const reply = await patch(made.id, { filters_hash: "zzz", short_id: "hacked", id: 5, created_by: null });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      id: made.id,
      name: "a",
      short_id: made.short_id,
      created_by: { id: 1 },
    } as never);
  });

  test("a rename moves last_modified_at, a favourite and a tag only updated_at", async () => {
    const made = await create({ name: "a" });
    const favoured = (await patch(made.id, { favorited: true, tags: [" B", "a", "b"] })).json as Insight;
    expect(favoured).toMatchObject({ favorited: true, tags: ["a", "b"], last_modified_at: made.last_modified_at });
    expect(String(favoured.updated_at) > String(made.updated_at)).toBe(true);
    const renamed = (await patch(made.id, { name: "XYZ" })).json as Insight;
    expect(String(renamed.last_modified_at) > String(made.last_modified_at)).toBe(true);
    expect(renamed).toMatchObject({ name: "XYZ", favorited: true, tags: ["a", "b"] });
  });

  test("is deleted softly and comes back", async () => {
    const made = await create({ name: "a" });
    expect((await patch(made.id, { deleted: true, name: "b" })).json).toMatchObject({
      deleted: true,
      name: "b",
    } as never);
    expect((await server.send("GET", `${insights}${made.id}/`)).status).toBe(404);
    expect((await patch(made.id, { name: "c" })).status).toBe(404);
    expect((await patch(made.id, { deleted: "false" })).status).toBe(404);
    expect((await list("?limit=1000")).results.map((one) => one.id)).not.toContain(made.id);
    expect((await patch(made.id, { deleted: false })).json).toMatchObject({ deleted: false, name: "b" } as never);
    expect((await server.send("GET", `${insights}${made.id}/`)).status).toBe(200);
  });

  test("DELETE is 405 without a body", async () => {
    const made = await create({});
    const reply = await server.send("DELETE", `${insights}${made.id}/`);
    expect([reply.status, reply.text]).toEqual([405, ""]);
    expect((await server.send("GET", `${insights}${made.id}/`)).status).toBe(200);
  });

  test("is the same under both of its paths", async () => {
    const made = await create({ name: "both" }, "/api/projects/1/insights/");
    expect(await get(made.id)).toEqual(made);
  });

  test("is found by the list's filters", async () => {
    const made = await create({ name: "n1", tags: ["needle77"], saved: true });
    await create({ name: "n2", description: "a NEEDLE77", favorited: true });
    expect((await list("?search=needle77")).count).toBe(2);
    expect((await list("?search=needle77&favorited")).results.map((one) => one.name)).toEqual(["n2"]);
    expect((await list("?search=needle77&saved=true")).results.map((one) => one.name)).toEqual(["n1"]);
    expect((await list("?search=needle77&order=-name")).results.map((one) => one.name)).toEqual(["n2", "n1"]);
    expect((await list(`?short_id=${made.short_id}`)).results).toEqual([made]);
    expect((await list("?created_by=999")).count).toBe(0);
    expect(await list("?limit=1")).toMatchObject({ previous: null, results: [{}] });
    const [basic] = (await list("?basic=true&limit=1")).results;
    const expected =
      "id short_id name derived_name favorited filters query dashboards dashboard_tiles description last_refresh refreshing saved updated_at created_by created_at last_modified_at tags";
    expect(Object.keys(basic!).sort()).toEqual(expected.split(" ").sort());
  });
});

describe("the list", () => {
  const idsOf = async (query: string) => (await list(query)).results.map((one) => one.id);

  test("by kind of query, inside its wrappers too", async () => {
    const node = (kind: string) => ({ query: { kind: "InsightVizNode", source: { kind } }, tags: ["kinds"] });
    const trends = await create(node("TrendsQuery"));
    const sql = await create({ query: { kind: "HogQLQuery", query: "select 1" }, tags: ["kinds"] });
    expect(await idsOf("?search=kinds&insight=TRENDS")).toEqual([trends.id]);
    expect(await idsOf("?search=kinds&insight=SQL")).toEqual([sql.id]);
    expect(await idsOf("?search=kinds&insight=FUNNELS")).toEqual([]);
    expect(await idsOf("?search=kinds&insight=unknown")).toEqual([trends.id, sql.id]);
  });

  test("by the day of the last change, also counted from now", async () => {
    const old = await create({ tags: ["dated"] });
    server.nowMs += 10 * DAY_MS;
    const young = await create({ tags: ["dated"] });
    expect(await idsOf("?search=dated&date_from=-3d")).toEqual([young.id]);
    expect(await idsOf("?search=dated&date_to=-3d")).toEqual([old.id]);
    const exactly = encodeURIComponent(young.created_at);
    expect(await idsOf(`?search=dated&date_from=${exactly}`)).toEqual([]);
    expect((await server.send("GET", `${insights}?date_from=2026-13-45`)).status).toBe(400);
  });

  test("of those the caller looked at last: five, newest first, each once, no deleted one", async () => {
    const made: Insight[] = [];
    for (let i = 0; i < 7; i++) made.push(await create({}));
    for (const { id } of [...made, made[2]!]) {
      server.nowMs++;
      const reply = await server.send("POST", `${insights}${id}/viewed/`, { body: {} });
      expect([reply.status, reply.text]).toEqual([200, ""]);
    }
    await patch(made[6]!.id, { deleted: true });
    const seen = (await server.send("GET", `${insights}my_last_viewed/`)).json as Insight[];
    expect(seen.map((one) => made.findIndex((other) => other.id === one.id))).toEqual([2, 5, 4, 3, 1]);
    expect((await server.send("POST", `${insights}${made[6]!.id}/viewed/`, { body: {} })).status).toBe(404);
  });
});

describe("what clients of PostHog ask of insights, too", () => {
  const idsOf = async (query: string) => (await list(query)).results.map((one) => one.id);
  const parameter = (value: unknown) => encodeURIComponent(JSON.stringify(value));

  test("those with any of some tags, whatever stands in them", async () => {
    const tags = [["red", 'a"b'], ["dark red"], ['b", "c', "100%"], ["a\\b", "x_y"]];
    const made: number[] = [];
    for (const names of tags) made.push((await create({ tags: names })).id);
    const found = async (names: unknown) =>
      (await idsOf(`?limit=1000&tags=${parameter(names)}`)).map((id) => made.indexOf(id)).filter((at) => at >= 0);
    expect(await found(["red"])).toEqual([0]);
    expect(await found(["RED", "dark red"])).toEqual([0, 1]);
    expect(await found(["b"])).toEqual([]);
    expect(await found(["c"])).toEqual([]);
    expect(await found(['a"b'])).toEqual([0]);
    expect(await found(["100%"])).toEqual([2]);
    expect(await found(["1__%"])).toEqual([]);
    expect(await found(["a\\b"])).toEqual([3]);
    expect(await found(["xzy"])).toEqual([]);
    for (const wrong of ["red", "[]", "[1]"]) {
      expect((await server.send("GET", `${insights}?tags=${wrong}`)).json).toMatchObject({ attr: "tags" } as never);
    }
  });

  test("those of several users", async () => {
    const { count } = await list("?created_by=1");
    expect((await list(`?created_by=${parameter([1, 999])}`)).count).toBe(count);
    expect((await list(`?created_by=${parameter([999])}`)).count).toBe(0);
    for (const wrong of ["me", "[]", '["1"]']) {
      expect((await server.send("GET", `${insights}?created_by=${encodeURIComponent(wrong)}`)).status).toBe(400);
    }
  });

  test("in the order of what is saved, a favourite, or was looked at", async () => {
    const a = (await create({ name: "a", tags: ["ordered"], saved: true })).id;
    const b = (await create({ name: "b", tags: ["ordered"], favorited: true })).id;
    const c = (await create({ name: "c", tags: ["ordered"], saved: true, favorited: true })).id;
    const look = async (id: number) => {
      server.nowMs++;
      await server.send("POST", `${insights}${id}/viewed/`, { body: {} });
    };
    for (const id of [a, b, a]) await look(id);
    const ordered = (order: string) => idsOf(`?search=ordered&order=${order}`);
    expect(await ordered("saved")).toEqual([b, a, c]);
    expect(await ordered("-favorited")).toEqual([c, b, a]);
    expect(await ordered("last_viewed_at")).toEqual([b, a, c]);
    // Those that nobody looked at come last.
    expect(await ordered("-last_viewed_at")).toEqual([a, b, c]);
  });

  test("PUT, which leaves what it does not name", async () => {
    const { id } = await create({ name: "a", description: "kept" });
    const reply = await server.send("PUT", `${insights}${id}/`, { body: { name: "b" } });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ name: "b", description: "kept" } as never);
  });

  test(".csv in place of the slash", async () => {
    const made = await create({ name: "table", tags: ["suffix"], query: { kind: "HogQLQuery", query: "select 1" } });
    for (const path of [`${made.id}`, `?search=suffix`, `activity/?limit=1`]) {
      const plain = await server.send("GET", `${insights}${path}${path.includes("?") ? "&" : "/?"}format=csv`);
      const [name = "", search = ""] = path.split("?");
      const suffixed = `${(insights + name).replace(/\/$/, "")}.csv?${search}`;
      const reply = await server.send("GET", suffixed);
      expect([reply.status, reply.text]).toEqual([200, plain.text]);
      expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect((await server.send("GET", suffixed, { key: null })).status).toBe(401);
    }
    expect((await server.send("GET", `${insights}nonsense.csv`)).status).toBe(404);
    expect((await server.send("GET", `${insights}${made.id}.csv/`)).status).toBe(404);
    expect((await server.send("PATCH", `${insights}${made.id}.csv`, { body: {} })).status).toBe(404);
  });

  test("a name that ends in .csv is a name", async () => {
    const definitions = "/api/projects/1/property_definitions/";
    await server.send("POST", definitions, { body: { name: "report.csv" } });
    expect((await server.send("GET", `${definitions}report.csv`)).json).toMatchObject({ name: "report.csv" } as never);
  });
});

describe("the activity of an insight", () => {
  interface Page {
    total_count: number;
    results: {
      activity: string;
      item_id: string;
      detail: { name: string; short_id: string; changes: object[] | null };
    }[];
  }
  const activityOf = async (path: string) => (await server.send("GET", `${insights}${path}activity/`)).json as Page;

  test("tells what was changed from what to what; what stayed is not told", async () => {
    const made = await create({ name: "a", tags: ["x"] });
    const query = { kind: "HogQLQuery", query: "select 1" };
    await patch(made.id, { name: "b", query, favorited: true, tags: ["x"], order: 3 });
    await patch(made.id, { name: "b" });
    await patch(made.id, { deleted: true });
    const { total_count, results } = await activityOf(`${made.id}/`);
    expect(total_count).toBe(3);
    const change = (field: string, before: unknown, after: unknown, action = "changed") => ({
      type: "Insight",
      action,
      field,
      before,
      after,
    });
    expect(results.map((entry) => entry.detail.changes)).toEqual([
      [change("deleted", false, true)],
      [
        change("name", "a", "b"),
        change("query", null, query, "created"),
        change("order", null, 3, "created"),
        change("favorited", false, true),
      ],
      null,
    ]);
    expect(results[0]).toMatchObject({
      activity: "updated",
      item_id: String(made.id),
      detail: { name: "b", short_id: made.short_id },
    });
  });

  test("of all insights, of no other project, and for keys with its scope alone", async () => {
    const other = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const path = `/api/environments/${other.id}/insights/`;
    const { id } = await create({ name: "elsewhere" }, path);
    expect((await activityOf("")).results.map((entry) => entry.detail.name)).not.toContain("elsewhere");
    expect((await server.send("GET", `${path}activity/`)).json).toMatchObject({
      total_count: 1,
      results: [{ item_id: String(id) }],
    } as never);
    expect((await server.send("GET", `${insights}${id}/activity/`)).status).toBe(404);
    const key = (await server.createKey({ scopes: ["insight:write"] })).value;
    expect((await server.send("GET", `${path}${id}/activity/`, { key })).status).toBe(403);
  });
});

describe("a result", () => {
  test.each([1, 100])("of %d rows is shown to the letter, alone, in lists and from the cache", async (length) => {
    const rows = Array.from({ length }, (_, i) => [
      i,
      -0.5,
      1e21,
      `"\\ é \u2028 ]}, {"results": ${i}`,
      { null: null, "1": [] },
    ]);
    const answer = { results: rows, columns: ["a", "b"], hogql: "SELECT '}\"'", hasMore: true };
    server.answerQueries(async () => answer);
    const { id } = await create({
      name: `of${length}rows`,
      query: { kind: "HogQLQuery", query: `select ${length} -- letter` },
    });
    const { results: result, ...others } = answer;
    for (const isCached of [false, true]) {
      expect(await get(id, "?refresh=blocking")).toMatchObject({ result, ...others, types: null, is_cached: isCached });
    }
    expect((await list(`?search=of${length}rows&refresh=force_cache`)).results[0]).toMatchObject({ result, ...others });
    const { text } = await server.send("GET", `${insights}${id}/?refresh=force_cache`);
    expect(text).toContain(`"result":${JSON.stringify(rows)},"hasMore":true,"columns":["a","b"],"types":null,`);
  });
});

describe("as CSV", () => {
  const csv = async (query: object, results: object, format = "?format=csv&refresh=blocking") => {
    server.answerQueries(async () => results);
    const { id } = await create({ name: 'Visits "a/b"', query });
    return server.send("GET", `${insights}${id}/${format}`);
  };

  test("a trend has a row a series, a column a day, and the total", async () => {
    const series = [
      {
        label: "visits, all",
        labels: ["1-Jan-2026", "2-Jan-2026"],
        data: [1, 2.5],
        count: 3.5,
        action: { custom_name: null },
      },
      { label: "=cmd", labels: ["1-Jan-2026", "2-Jan-2026"], data: [0, 0], count: 0, action: { custom_name: "mine" } },
    ];
    const reply = await csv({ kind: "TrendsQuery", series: [] }, { results: series });
    expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="Visits -a-b-.csv"');
    expect(reply.text).toBe(
      'series,custom name,1-Jan-2026,2-Jan-2026,total\r\n"visits, all",,1,2.5,3.5\r\n\'=cmd,mine,0,0,0\r\n',
    );
  });

  test("an aggregated one has one number", async () => {
    const results = [{ label: "a", labels: [], data: [], aggregated_value: 9 }];
    const reply = await csv({ kind: "TrendsQuery", series: [], interval: "week" }, { results });
    expect(reply.text).toBe("series,total count\r\na,9\r\n");
  });

  test("SQL has its columns", async () => {
    const results = {
      columns: ["a", "b"],
      results: [
        [1, null],
        [true, { x: 1 }],
      ],
    };
    const reply = await csv({ kind: "HogQLQuery", query: "select 1 -- csv" }, results);
    expect(reply.text).toBe('a,b\r\n1,\r\nTrue,"{""x"":1}"\r\n');
  });

  test("what stands beside each other is told apart: periods, values of a breakdown", async () => {
    const line = (compare_label: string, breakdown_value: unknown, day: string, data: number[]) => {
      const labels = data.map((_, i) => `${i + 1}-${day}`);
      const count = data.reduce((sum, value) => sum + value, 0);
      return { label: "visits", compare_label, breakdown_value, labels, data, count };
    };
    const results = [
      line("previous", ["a", "b"], "Jan-2026", [1, 2, 3]),
      line("current", ["a", "b"], "Feb-2026", [4, 5]),
      line("current", "c", "Feb-2026", [0, -5]),
    ];
    const reply = await csv({ kind: "TrendsQuery", series: [], interval: "month" }, { results });
    expect(reply.text).toBe(
      [
        "series,breakdown,1-Feb-2026,2-Feb-2026,3-Jan-2026,total",
        "visits - previous,a::b,1,2,3,6",
        "visits - current,a::b,4,5,,9",
        "visits - current,c,0,-5,,-5",
        "",
      ].join("\r\n"),
    );
    const totals = [
      { label: "a", compare_label: "current", aggregated_value: 0 },
      { label: "a", compare_label: "previous", aggregated_value: 2 },
    ];
    const aggregated = await csv({ kind: "TrendsQuery", series: [], interval: "quarter" }, { results: totals });
    expect(aggregated.text).toBe("series,total count\r\na - current,0\r\na - previous,2\r\n");
  });

  test("a trend without any series has no rows", async () => {
    const reply = await csv({ kind: "TrendsQuery", series: [], interval: "year" }, { results: [] });
    expect([reply.status, reply.text]).toEqual([200, "series,total\r\n"]);
  });

  test("a list of events has its columns", async () => {
    const results = { columns: ["event", "person"], types: [], results: [["-a", { id: 1 }]] };
    const reply = await csv({ kind: "EventsQuery", select: ["event", "person"] }, results);
    expect(reply.text).toBe('event,person\r\n\'-a,"{""id"":1}"\r\n');
  });

  test("what was never calculated is calculated, and never again", async () => {
    const columns = ["a"];
    const query = { kind: "HogQLQuery", query: "select 1 -- never" };
    const reply = await csv(query, { columns, results: [[1]] }, "?format=csv");
    expect([reply.status, reply.text]).toEqual([200, "a\r\n1\r\n"]);
    expect((await csv(query, { columns, results: [[2]] }, "?format=csv")).text).toBe("a\r\n1\r\n");
  });

  test("what cannot be calculated is an error", async () => {
    server.answerQueries(async () => {
      throw new HogqlError("Unable to resolve field: a");
    });
    const { id } = await create({ query: { kind: "HogQLQuery", query: "select a -- wrong" } });
    expect((await server.send("GET", `${insights}${id}/?format=csv`)).status).toBe(400);
  });

  test("an insight without a query says so", async () => {
    const { id } = await create({});
    const { text } = await server.send("GET", `${insights}${id}/?format=csv`);
    expect(text).toBe("error\r\nNo data available or unable to format for export.\r\n");
  });

  test("the file has the insight's name, whatever its letters", async () => {
    server.answerQueries(async () => ({ columns: ["a"], results: [[1]] }));
    const query = { kind: "HogQLQuery", query: "select 1 -- named" };
    const named = async (name: string) => {
      const { id } = await create({ name, query });
      const reply = await server.send("GET", `${insights}${id}/?format=csv`);
      return [reply.status, reply.headers.get("content-disposition")];
    };
    expect(await named("हिन्दी/é")).toEqual([
      200,
      `attachment; filename="______-_.csv"; filename*=UTF-8''${encodeURIComponent("हिन्दी-é")}.csv`,
    ]);
    expect(await named("\u{20000}".repeat(101))).toEqual([
      200,
      `attachment; filename="${"_".repeat(100)}.csv"; filename*=UTF-8''${encodeURIComponent("\u{20000}".repeat(100))}.csv`,
    ]);
    expect((await named(""))[1]).toStartWith("attachment; filename=");
  });

  test("the query endpoint answers in the same form", async () => {
    server.answerQueries(async () => ({ columns: ["n"], results: [[1]] }));
    const body = { query: { kind: "HogQLQuery", query: "select 1 -- csv query" } };
    const reply = await server.send("POST", "/api/environments/1/query/?format=csv", { body });
    expect(reply.text).toBe("n\r\n1\r\n");
  });
});
