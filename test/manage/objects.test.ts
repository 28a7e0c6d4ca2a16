import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { QueryRecords } from "../../src/query/mod.ts";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
let records: QueryRecords;
let asked = 0;
beforeAll(async () => {
  server = await startManage({ cohortPersonsMax: 5 });
  server.answerQueries(async (_node, context) => {
    records = context.records;
    return { results: [++asked] };
  });
});
afterAll(() => server.stop());

const cohorts = "/api/projects/1/cohorts/";
const actions = "/api/projects/1/actions/";
const send = async (method: string, path: string, body?: object | string, headers = {}) => {
  const { status, json } = await server.send(method, path, { body, headers });
  return { status, json: json as JsonObject & { id: number } };
};
const plan = (value: string) => ({ type: "person", key: "plan", value: [value], operator: "exact" });
const filters = (...values: Json[]): JsonObject => ({ properties: { type: "OR", values: [{ type: "AND", values }] } });
const HOGQL = { query: { kind: "HogQLQuery", query: "select 1" } };
/** What a query is told of the records now. */
const recordsNow = async () => {
  await send("POST", "/api/projects/1/query/?refresh=force_blocking", HOGQL);
  return records;
};

describe("cohorts by properties", () => {
  test("are made, listed, changed, deleted and brought back", async () => {
    const made = await send("POST", cohorts, { name: "Pro", filters: filters(plan("pro")) });
    expect(made).toMatchObject({
      status: 201,
      json: { name: "Pro", is_static: false, count: null, deleted: false, filters: filters(plan("pro")) },
    });
    const path = `${cohorts}${made.json.id}/`;
    expect((await send("GET", path)).json).toEqual(made.json);
    const changed = await send("PATCH", path, { name: "Free", filters: filters(plan("free")), is_static: true });
    expect(changed.json).toMatchObject({ name: "Free", is_static: false, filters: filters(plan("free")) });
    expect((await send("GET", `${cohorts}?search=FREE`)).json).toMatchObject({ count: 1, results: [{ name: "Free" }] });
    expect((await recordsNow()).cohortNamed("Free")).toMatchObject({ id: made.json.id, isStatic: false });
    await send("PATCH", path, { deleted: true });
    expect((await send("GET", path)).status).toBe(404);
    expect((await recordsNow()).cohort(made.json.id)).toBeNull();
    expect((await send("PATCH", path, { deleted: false })).json).toMatchObject({ name: "Free", deleted: false });
    expect((await send("DELETE", path)).status).toBe(405);
    expect((await send("GET", `${path}activity/`)).json).toMatchObject({ total_count: 4 });
  });

  test.each<[object, string, string]>([
    [{ name: "all" }, "filters", "This field is required."],
    [{ filters: {} }, "filters__properties", "This field is required."],
    [
      { filters: filters({ type: "behavioral", key: "buy", value: "performed_event" }) },
      "filters",
      "event_type: must be events or actions",
    ],
    [{ filters: filters({ type: "cohort", key: "id", value: 999 }) }, "filters", "there is no cohort 999"],
    [{ filters: filters({ ...plan("a"), operator: "sounds_like" }) }, "filters", 'the operator "sounds_like"'],
  ])("%j is refused", async (body, attr, detail) => {
    const { status, json } = await send("POST", cohorts, body);
    expect({ status, attr: json.attr }).toEqual({ status: 400, attr });
    expect(json.detail).toContain(detail);
  });

  test("cannot contain themselves", async () => {
    const { id } = (await send("POST", cohorts, { filters: filters(plan("a")) })).json;
    const other = (await send("POST", cohorts, { filters: filters({ type: "cohort", key: "id", value: id }) })).json;
    const circle = { filters: filters({ type: "cohort", key: "id", value: other.id }) };
    expect((await send("PATCH", `${cohorts}${id}/`, circle)).json).toMatchObject({ attr: "filters" });
    expect((await send("GET", `${cohorts}${id}/`)).json.filters).toEqual(filters(plan("a")));
  });
});

describe("static cohorts", () => {
  const [ada, ben] = [personIdOf(1, "ada"), personIdOf(1, 'b"e,n')];
  const cy = "0190d6e2-0000-7000-8000-00000000000c";

  test("take lists of ids, grow and shrink", async () => {
    const csv = `\ufeffname,distinct_id\r\n"Ada, first",ada\r\nBen,"b""e,n"\nnobody,\nAda again,ada`;
    const made = await send("POST", cohorts, { name: "s", is_static: true, csv, _create_static_person_ids: [cy] });
    expect(made.json).toMatchObject({ is_static: true, count: 3, filters: { properties: {} } });
    const { id } = made.json;
    expect((await recordsNow()).cohort(id)?.personIds).toEqual([ada, ben, cy].sort());
    const remove = await send("PATCH", `${cohorts}${id}/remove_person_from_static_cohort/`, { person_id: cy });
    expect(remove.json).toMatchObject({ count: 2 });
    const add = (person_ids: string[]) =>
      send("PATCH", `${cohorts}${id}/add_persons_to_static_cohort/`, { person_ids });
    expect((await add([cy.toUpperCase(), ada])).json).toMatchObject({ count: 3 });
    expect((await add(["me"])).json).toMatchObject({ attr: "person_ids__0" });
    expect((await send("GET", `${cohorts}${id}/activity/`)).json).toMatchObject({
      results: [{ detail: { changes: [{ field: "count", before: 2, after: 3 }] } }, {}, { activity: "created" }],
    });
    await send("PATCH", `${cohorts}${id}/`, { deleted: true });
  });

  test("come as a file of a form", async () => {
    const form = [
      ['name="name"', "uploaded"],
      ['name="is_static"', "true"],
      ['name="csv"; filename="people.csv"\r\nContent-Type: text/csv', "ada\nben\n"],
    ].map(([name, value]) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`);
    const type = { "Content-Type": "multipart/form-data; boundary=b" };
    const made = await send("POST", cohorts, `${form.join("")}--b--\r\n`, type);
    expect(made.json).toMatchObject({ name: "uploaded", is_static: true, count: 2 });
    const { id } = made.json;
    expect((await send("PATCH", `${cohorts}${id}/`, { csv: "person_id\nnot a uuid\n" })).json).toMatchObject({
      count: 2,
    });
    expect((await send("POST", cohorts, "--b\r\nnonsense", type)).status).toBe(400);
    await send("PATCH", `${cohorts}${id}/`, { deleted: true });
  });

  test("hold no more persons together than the setting allows", async () => {
    const made = await send("POST", cohorts, { is_static: true, csv: "a\nb\nc\nd\n" });
    expect((await send("POST", cohorts, { is_static: true, csv: "e\nf\n" })).json).toMatchObject({
      code: "max_length",
    });
    expect((await send("PATCH", `${cohorts}${made.json.id}/`, { csv: "e\n" })).json).toMatchObject({ count: 5 });
  });

  test("only they have a list", async () => {
    const { id } = (await send("POST", cohorts, { filters: filters(plan("a")) })).json;
    const path = `${cohorts}${id}/add_persons_to_static_cohort/`;
    expect((await send("PATCH", path, { person_ids: [ada] })).json).toMatchObject({
      detail: "Can only add users to static cohorts.",
    });
  });
});

describe("actions", () => {
  test("keep a number among the texts of a step as a text", async () => {
    const made = await send("POST", actions, { name: "numbers", steps: [{ event: 1.5, url: 7 }] });
    expect(made).toMatchObject({ status: 201, json: { steps: [{ event: "1.5", url: "7" }] } });
  });

  const step = { event: "$autocapture", selector: "a > b", url: "/x", url_matching: "regex" };

  test("are made, changed and told to queries", async () => {
    const made = await send("POST", actions, { name: "Sign up", steps: [step], tags: ["B"] });
    const whole = { ...step, properties: null, tag_name: null, text: null, href: null, href_matching: null };
    expect(made).toMatchObject({ status: 201, json: { name: "Sign up", steps: [whole], tags: ["b"] } });
    const { id } = made.json;
    expect((await recordsNow()).action(id)).toEqual({
      id,
      name: "Sign up",
      steps: [
        {
          event: "$autocapture",
          properties: null,
          url: "/x",
          urlMatching: "regex",
          text: null,
          textMatching: null,
          href: null,
          hrefMatching: null,
          tagName: null,
          selector: "a > b",
        },
      ],
    });
    await send("PATCH", `${actions}${id}/`, { steps: [{ event: "signed up" }] });
    expect((await recordsNow()).actionNamed("Sign up")?.steps[0]?.event).toBe("signed up");
    await send("PATCH", `${actions}${id}/`, { deleted: true });
    expect((await recordsNow()).action(id)).toBeNull();
  });

  test.each<[object, string, string]>([
    [{ steps: [{ selector: "a:hover", event: "$autocapture" }] }, "steps", "cannot be matched"],
    [{ steps: [{ url_matching: "like" }] }, "steps__0__url_matching", "is not a valid choice"],
    [{ steps: [{ properties: [{ key: 5, value: 1 }] }] }, "steps", "must be a string"],
    [{ steps: {} }, "steps", "Expected a list"],
  ])("%j is refused", async (body, attr, detail) => {
    const { status, json } = await send("POST", actions, body);
    expect({ status, attr: json.attr }).toEqual({ status: 400, attr });
    expect(json.detail).toContain(detail);
  });
});

test("a change of the records makes kept answers stale", async () => {
  const ask = async () => {
    const { json } = await send("POST", "/api/projects/1/query/", HOGQL);
    return json.is_cached;
  };
  await ask();
  expect(await ask()).toBe(true);
  const { id } = (await send("POST", actions, { name: "new" })).json;
  expect(await ask()).toBe(false);
  expect(await ask()).toBe(true);
  await send("PATCH", `${actions}${id}/`, { steps: [{ event: "x" }] });
  expect(await ask()).toBe(false);
  await send("POST", "/api/projects/1/property_definitions/", { name: "p", property_type: "Numeric" });
  expect(await ask()).toBe(false);
  const cohort = (await send("POST", cohorts, { is_static: true })).json;
  expect(await ask()).toBe(false);
  await send("PATCH", `${cohorts}${cohort.id}/`, { deleted: true });
  expect(await ask()).toBe(false);
  await send("PATCH", "/api/projects/1/environments/1/", { test_account_filters: [plan("test")] });
  expect(await ask()).toBe(false);
});
