import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const QUERY = "/api/environments/1/query/";
const INSIGHTS = "/api/environments/1/insights/";

const detailOf = (reply: { json: never }) => (reply.json as { detail: string }).detail;

test.each<[string, string, unknown, string[]]>([
  ["no query", QUERY, {}, ["query: must be an object with kind", '"kind": "HogQLQuery"']],
  ["text for a query", QUERY, { query: "select 1" }, ["query: must be an object with kind"]],
  ["a query that is the body", QUERY, { kind: "TrendsQuery" }, ['goes into "query"']],
  ["a field that is not there", QUERY, { query: {}, qery: 1 }, ["qery: no such field of this body"]],
  ["a query without a kind", QUERY, { query: {} }, ["kind: is missing", "TrendsQuery, FunnelsQuery, RetentionQuery"]],
  [
    "an unknown kind",
    QUERY,
    { query: { kind: "Nope" } },
    ['unknown kind "Nope"', "TrendsQuery, FunnelsQuery, RetentionQuery"],
  ],
  ["another refresh", QUERY, { query: {}, refresh: "soon" }, ["refresh: must be one of", "blocking"]],
  ["no JSON", QUERY, "select 1", ["JSON parse error", "The body must be a JSON object"]],
  ["a list", QUERY, [], ["Expected a JSON object, but got list"]],
  ["an insight of a text", INSIGHTS, { query: "x" }, ["query: must be an object with kind"]],
  ["an insight without a kind", INSIGHTS, { query: {} }, ["query.kind: is missing", "TrendsQuery"]],
  ["an insight of an unknown kind", INSIGHTS, { query: { kind: "Nope" } }, ["unknown kind 'Nope'", "TrendsQuery"]],
])("%s is told what it should be", async (_, path, body, words) => {
  const reply = await server.send("POST", path, { body });
  expect(reply.status).toBe(400);
  for (const word of words) expect(detailOf(reply)).toContain(word);
});

test("a key in a wrong form, and one of the wrong kind, are told which is wanted", async () => {
  const bare = await server.send("GET", INSIGHTS, { key: null, headers: { Authorization: server.key } });
  expect(bare.status).toBe(401);
  expect(detailOf(bare)).toContain("Bearer <personal API key>");
  const project = await server.send("GET", INSIGHTS, { key: "phc_of_a_project" });
  expect(project.status).toBe(401);
  expect(detailOf(project)).toContain("A project API key sends events");
});

test("a path that is not there is an error as all others are, with where to look", async () => {
  const reply = await server.send("GET", "/nope", { key: null });
  expect(reply.status).toBe(404);
  expect(reply.json as object).toMatchObject({ type: "invalid_request", code: "not_found", attr: null });
  expect(detailOf(reply)).toContain("/swagger");
  for (const path of ["/swagger", "/openapi.json"]) expect((await server.send("GET", path)).status).toBe(200);
});
