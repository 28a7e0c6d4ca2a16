import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeParser } from "../../src/query/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
let other: number;
beforeAll(async () => {
  server = await startManage({ queryTextMaxBytes: 1_000 });
  const made = await server.send("POST", "/api/projects/", { body: { name: "other" } });
  other = (made.json as { id: number }).id;
  const body = { name: "amount", type: "event", property_type: "Numeric" };
  const defined = await server.send("POST", `/api/environments/${other}/property_definitions/`, { body });
  expect(defined.status).toBe(201);
});
afterAll(async () => {
  await server.stop();
  closeParser();
});

const SCHEMA = { kind: "DatabaseSchemaQuery" };
const metadata = (query: string) => ({ kind: "HogQLMetadata", language: "hogQL", query });
const ask = (project: number, query: object, o: { key?: string; refresh?: string } = {}) =>
  server.send("POST", `/api/environments/${project}/query/`, {
    body: { query, ...(o.refresh && { refresh: o.refresh }) },
    key: o.key ?? server.key,
  });

test.each([SCHEMA, metadata("SELECT 1")])("%j needs the scope and the project of every question", async (node) => {
  const reader = await server.createKey({ scopes: ["query:read"] });
  const stranger = await server.createKey({ scopes: ["insight:write", "person:read"] });
  const ofOther = await server.createKey({ scopes: ["*"], scopedTeams: [other] });
  expect((await ask(1, node, { key: reader.value })).status).toBe(200);
  expect((await ask(1, node, { key: stranger.value })).status).toBe(403);
  expect((await ask(1, node, { key: ofOther.value })).status).toBe(403);
  expect((await ask(other, node, { key: ofOther.value })).status).toBe(200);
});

test("a text is told of the properties of its project alone", async () => {
  const node = metadata("SELECT properties.amount FROM events");
  const noticesOf = async (project: number) => ((await ask(project, node)).json as { notices: object[] }).notices;
  expect(await noticesOf(other)).toEqual([
    { start: 18, end: 24, message: "Event property 'amount' is of type 'Float'." },
  ]);
  expect(await noticesOf(1)).toEqual([]);
});

test.each(["force_cache", "async", "blocking"])(
  "with refresh %s it is answered at once, and nothing is kept",
  async (refresh) => {
    const reply = await ask(1, metadata("SELECT evnt FROM events"), { refresh });
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json)).toEqual(["query", "isValid", "errors", "warnings", "notices", "table_names"]);
  },
);

test("a text beyond the limit is an error of the text, a node of another shape one of the node", async () => {
  const { json } = await ask(1, metadata(`SELECT '${"a".repeat(1_000)}'`));
  expect(json).toMatchObject({
    isValid: false,
    errors: [{ message: "The query is longer than 1000 bytes." }],
  } as never);
  const wrong = await ask(1, { kind: "HogQLMetadata", language: "basic", query: "10 GOTO 10" });
  expect([wrong.status, (wrong.json as { detail: string }).detail]).toEqual([
    400,
    'language: must be one of hogQL, hogQLExpr, hog, hogJson, hogTemplate, liquid, not "basic"',
  ]);
});

test("no insight can be one", async () => {
  const reply = await server.send("POST", "/api/environments/1/insights/", { body: { query: SCHEMA } });
  expect(reply.status).toBe(400);
});
