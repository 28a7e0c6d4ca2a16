import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Lake, openLake } from "../../src/lake/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { doorConfig, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const EVENTS = 2_000;
let logged: string[];
let stored: TestLake;
let lake: Lake;
let server: ManageServer;
/** Name of the only file. */
let file: string;

beforeEach(async () => {
  stored = await TestLake.open();
  const propertiesOf = (n: number) => JSON.stringify({ text: `nobody's business ${n}` });
  const rows = Array.from({ length: EVENTS }, (_, n) => row(n, { event: `event ${n}`, properties: propertiesOf(n) }));
  file = `${(await stored.store(rows)).id}.parquet`;
  logged = [];
  lake = openLake({
    config: doorConfig(),
    catalog: stored.catalog,
    storage: stored.storage,
    runDirectory: stored.runDirectory,
    log: (line) => logged.push(line),
  });
  server = await startManage();
  server.lake = lake;
});
afterEach(async () => {
  await server.stop();
  await lake.close();
  await stored.close();
});

const ask = (query: string) =>
  server.send("POST", "/api/environments/1/query/", { body: { query: { kind: "HogQLQuery", query } } });

function damage(change: (bytes: Buffer) => Buffer): void {
  const path = join(stored.directory, file);
  writeFileSync(path, change(readFileSync(path)));
}

const FOOTER_BYTES = 500;

describe("a damaged file is no fault of the asker", () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["pages", (bytes) => bytes.fill(0xff, 4, Math.floor(bytes.length * 0.75))],
    ["footer", (bytes) => bytes.fill(0xff, bytes.length - FOOTER_BYTES, bytes.length - 8)],
    ["length of the footer", (bytes) => bytes.fill(0xff, bytes.length - 8, bytes.length - 4)],
    ["end", (bytes) => bytes.subarray(0, bytes.length / 2)],
  ])("in its %s", async (_place, change) => {
    damage(change);
    const reply = await ask("select event, properties, timestamp from events");
    expect(reply.status).toBe(500);
    expect(reply.json as object).toEqual({
      type: "server_error",
      code: "segment_unreadable",
      detail: "Stored events cannot be read.",
      attr: null,
    });
    expect(logged).toEqual([expect.stringMatching(/^segment_unreadable: a query of project 1 failed: /)]);
    expect(logged[0]).toContain(file);
    expect(logged[0]).not.toContain("nobody's business");
  });
});

test("what the query itself causes is, and is not logged", async () => {
  const causes = ["match(event, '(')", "base64Decode(event)", "range(1, 1000000000000)", "factorial(100)"];
  for (const cause of causes) {
    const reply = await ask(`select ${cause} from events`);
    expect([cause, reply.status]).toEqual([cause, 400]);
    expect(reply.json).toMatchObject({ type: "validation_error", code: "invalid_input" } as never);
  }
  expect(logged).toEqual([]);
});
