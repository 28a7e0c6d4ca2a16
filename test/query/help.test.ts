import { afterAll, describe, expect, test } from "bun:test";
import { closeParser, helpKindOf, type QueryRecords, runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { contextOf, emptyLake, failure } from "./support.ts";

afterAll(closeParser);

const TYPES: Record<string, "String" | "Numeric" | "Boolean" | "DateTime"> = {
  "event amount": "Numeric",
  "event plan": "String",
  "person plan": "Boolean",
  "group0 seats": "Numeric",
};
const records: QueryRecords = {
  ...NO_RECORDS,
  propertyType: (owner, key) => TYPES[`${owner.type}${owner.type === "group" ? owner.index : ""} ${key}`] ?? null,
  action: (id) =>
    id === 1 ? { id: 1, name: "Paid", steps: [step([{ type: "hogql", key: "properties.amount > 3" }])] } : null,
};
const step = (properties: JsonObject[]) => ({
  ...{ event: null, properties, url: null, urlMatching: null, text: null, textMatching: null },
  ...{ href: null, hrefMatching: null, tagName: null, selector: null },
});

interface Metadata {
  isValid: boolean;
  errors: { message: string; start?: number; end?: number }[];
  warnings: unknown[];
  notices: { message: string; start?: number; end?: number }[];
  table_names: string[];
}

const context = contextOf(emptyLake, { records });
const help = (node: JsonObject) => helpKindOf(node)!.answer(node, context);
const metadata = (query: string, more: JsonObject = {}) =>
  help({ kind: "HogQLMetadata", language: "hogQL", query, ...more }) as Promise<Metadata>;

/** The piece of a text that a notice is about, by whole characters. */
const piece = (query: string, { start, end }: { start?: number; end?: number }) =>
  Array.from(query).slice(start, end).join("");

describe("HogQLMetadata", () => {
  test("a text that can be asked has no errors, and names its tables once", async () => {
    const query =
      "WITH recent AS (SELECT event FROM events) SELECT count() FROM recent JOIN persons p ON p.id = p.id, events";
    const simple =
      "SELECT e.event FROM events e LEFT JOIN persons p ON e.person_id = p.id WHERE e.event IN (SELECT event FROM events)";
    expect(await metadata(simple)).toEqual({
      query: simple,
      isValid: true,
      errors: [],
      warnings: [],
      notices: [],
      table_names: ["events", "persons"],
    } as never);
    expect((await metadata(query.replace(" JOIN persons p ON p.id = p.id, events", ""))).table_names).toEqual([
      "events",
    ]);
  });

  test.each([
    ["SELECT evnt FROM events", "evnt"],
    ["SELECT count() FROM events WHERE propertes.a = 1", "propertes.a"],
    ["SELECT 1, unique(event) FROM events", "unique(event)"],
    ["SELECT '😀', evnt FROM events", "evnt"],
    ["SELECT 1 FROM nothing", "nothing"],
  ])("%s: the error is at %s", async (query, wrong) => {
    const { isValid, errors } = await metadata(query);
    expect([isValid, errors.length]).toEqual([false, 1]);
    expect(piece(query, errors[0]!)).toBe(wrong);
  });

  test("the end of a text that goes on is told in words", async () => {
    const { errors } = await metadata("SELECT count() FROM");
    expect(errors).toEqual([{ message: "Unexpected end of query", start: 19, end: 19 }]);
  });

  test("what is about the whole text has no place", async () => {
    const { errors } = await metadata(`${"(".repeat(40)}1${")".repeat(40)}`);
    expect(errors).toEqual([{ message: "The query nests more than 32 levels deep." }]);
  });

  test("properties with a definition say what they hold, where they stand", async () => {
    const query =
      "SELECT properties.amount, properties.other, person.properties.plan, group_0.properties.seats FROM events WHERE properties.plan = 'a'";
    const { notices } = await metadata(query);
    expect(notices.map((notice) => [piece(query, notice), notice.message])).toEqual([
      ["amount", "Event property 'amount' is of type 'Float'."],
      ["plan", "Person property 'plan' is of type 'Boolean'."],
      ["seats", "Group property 'seats' is of type 'Float'."],
      ["plan", "Event property 'plan' is of type 'String'."],
    ]);
  });

  test("what an action asks of its own is not told as if it stood in the text", async () => {
    expect((await metadata("SELECT count() FROM events WHERE matchesAction(1)")).notices).toEqual([]);
  });

  test("placeholders stand for what the node has", async () => {
    const query = "SELECT count() FROM events WHERE {filters} AND event = {variables.name}";
    const variables = { a: { variableId: "a", code_name: "name", value: "x" } };
    expect((await metadata(query, { variables, filters: { dateRange: { date_from: "-7d" } } })).errors).toEqual([]);
    const { errors } = await metadata(query);
    expect(errors.map(({ message }) => message)).toEqual(["Variable name is missing from query"]);
    const properties = [{ key: "plan", type: "event", operator: "resembles", value: "pro" }];
    expect((await metadata(query, { variables, filters: { properties } })).isValid).toBe(false);
  });

  test("an expression stands over events, or over the query that it is named with", async () => {
    const ask = (query: string, sourceQuery?: JsonObject) =>
      metadata(query, { language: "hogQLExpr", ...(sourceQuery && { sourceQuery }) });
    expect(await ask("properties.plan = 'a'")).toMatchObject({ isValid: true, table_names: ["events"] });
    expect((await ask("event, timestamp")).isValid).toBe(false);
    const { errors } = await ask("concat(evnt, 'a')");
    expect(errors).toMatchObject([{ start: 7, end: 11 }]);
    expect((await ask("event", { kind: "ActorsQuery" })).isValid).toBe(false);
    expect((await ask("created_at", { kind: "ActorsQuery" })).isValid).toBe(true);
    const source = { kind: "HogQLQuery", query: "SELECT key FROM groups" };
    expect((await ask("key", source)).isValid).toBe(true);
    expect((await ask("event", source)).isValid).toBe(false);
  });

  test.each(["hog", "hogTemplate"])("%s is refused by name", async (language) => {
    const { code, message } = await failure(metadata("1", { language }));
    expect([code, message]).toEqual(["invalid_query", `language: ${language} is not supported yet`]);
  });

  test("a text beyond the limit is an error, not a failure", async () => {
    const { errors } = await metadata(`SELECT '${"a".repeat(70_000)}'`);
    expect(errors).toEqual([{ message: "The query is longer than 65536 bytes." }]);
  });

  test("a cancelled question is a failure, not an error of the text", async () => {
    const node = { kind: "HogQLMetadata", language: "hogQL", query: "SELECT 'cancelled'" };
    const asked = helpKindOf(node)!.answer(node, { ...context, signal: AbortSignal.abort() });
    expect((await failure(asked)).code).toBe("query_cancelled");
  });
});

describe("DatabaseSchemaQuery", () => {
  interface Field {
    hogql_value: string;
    type: string;
    table?: string;
    fields?: string[];
  }
  type Tables = Record<string, { type: string; id: string; name: string; fields: Record<string, Field> }>;
  const schema = async () => ((await help({ kind: "DatabaseSchemaQuery" })) as { tables: Tables }).tables;

  test("has the tables, with columns and their types", async () => {
    const tables = await schema();
    expect(Object.keys(tables)).toEqual(["events", "groups", "person_distinct_ids", "persons", "sessions"]);
    const { events, persons } = tables;
    expect(events).toMatchObject({ type: "posthog", id: "events", name: "events" });
    expect(events!.fields).toMatchObject({
      uuid: { type: "string" },
      event: { type: "string" },
      timestamp: { type: "datetime" },
      properties: { type: "json" },
      elements_chain_texts: { type: "array" },
      personless: { type: "boolean" },
      person: { type: "lazy_table", table: "persons" },
      pdi: { type: "lazy_table", table: "person_distinct_ids" },
      group_0: { type: "lazy_table", table: "groups" },
      session: { type: "lazy_table", table: "sessions" },
    });
    expect(persons!.fields.pdi!.fields).toEqual(["distinct_id", "person_id"]);
  });

  test("every column of it can be asked, under the text that it names", async () => {
    for (const [table, { fields }] of Object.entries(await schema())) {
      const columns = Object.values(fields).flatMap(({ hogql_value: text, fields: inner }) =>
        inner === undefined ? [text] : inner.map((name) => `${text}.${/^[\w$]+$/.test(name) ? name : `\`${name}\``}`),
      );
      const asked = columns.filter((column) => column !== "pdi.person");
      const { errors } = await metadata(`SELECT ${asked.join(", ")} FROM ${table}`);
      expect([table, errors]).toEqual([table, []]);
    }
  });

  test("is no question of an insight", async () => {
    expect((await failure(runQuery({ kind: "DatabaseSchemaQuery" }, context))).code).toBe("invalid_query");
  });
});
