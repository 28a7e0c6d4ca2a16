import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { POSTGRES } from "../../src/export/destinations/postgres/mod.ts";
import { until } from "../support/broker.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { envOf, eventLine, NEVER, partOf, RANGE, uuidOf } from "./rows.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-pg-"));
let server: PostgresServer;
let database: URL;
let sql: SQL;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await sql.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  database = new URL(await server.createDatabase());
  sql = new SQL(database.href, { max: 2 });
});

const config = (more: Record<string, unknown> = {}) => ({
  ...{ host: "127.0.0.1", port: Number(database.port), user: "weir", password: "secret" },
  ...{ database: database.pathname.slice(1), schema: "public", table_name: 'odd "name"' },
  ...more,
});

async function put(
  lines: readonly (string | object)[],
  { model = "events", teamId = RANGE.teamId }: { model?: "events" | "persons"; teamId?: number } = {},
): Promise<void> {
  const open = await POSTGRES.open(config(), { ...RANGE, model, teamId }, envOf(folder));
  try {
    await open.put(partOf(folder, 0, lines), NEVER);
    await open.finish(1, NEVER);
  } finally {
    await open.close();
  }
}

test("events become rows once, however often a part is handed over; equal uuids of different events stay apart", async () => {
  const lines = Array.from({ length: 12_000 }, (_, i) => eventLine(i));
  const other = eventLine(1, { distinctId: "somebody else" });
  const full = eventLine(20_000, {
    properties: '{"$set":{"a":1},"$set_once":{"b":2},"$ip":"1.2.3.4","digits":12345678901234567890}',
    chain: "button",
    distinctId: "x\u2028' or 1=1",
  });
  for (const _ of [1, 2]) await put([...lines, other, full]);
  expect(await sql`select count(*)::int as n, count(distinct uuid)::int as uuids from "odd ""name"""`).toEqual([
    { n: 12_002, uuids: 12_001 },
  ] as never);
  const [row] = await sql`select *, properties ->> 'digits' as digits from "odd ""name""" where ip is not null`;
  expect(row).toMatchObject({
    ...{ uuid: uuidOf(20_000), event: "seen", elements: "button", set: { a: 1 }, set_once: { b: 2 }, ip: "1.2.3.4" },
    ...{ distinct_id: "x\u2028' or 1=1", team_id: "7", site_url: "", digits: "12345678901234567890" },
    timestamp: new Date("2026-01-01T00:00:00.123Z"),
  });
});

test("numbers that PostgreSQL does not hold are texts, and keep no event back", async () => {
  const numbers = [
    "1e400",
    "1e131071",
    "1e131072",
    "1e99999999999",
    "-1.5E-16382",
    "1e-16384",
    "0.5",
    `1${"0".repeat(131_072)}`,
  ];
  const text = 'a \\" 1e131072 \\\\';
  const lines = numbers.map((n, i) => eventLine(i, { properties: `{"number":${n},"all":[${n},"${text}"]}` }));
  for (const _ of [1, 2]) await put([...lines, eventLine(100)]);
  const rows =
    await sql`select jsonb_typeof(properties -> 'number') as type, properties ->> 'number' as n, properties #>> '{all,1}' as text
    from "odd ""name""" where properties ? 'number' order by uuid`;
  const types = ["number", "number", "string", "string", "number", "string", "number", "string"];
  expect(rows.map(({ type }: { type: string }) => type)).toEqual(types);
  for (const [i, type] of types.entries()) if (type === "string") expect(rows[i].n).toBe(numbers[i]!);
  expect(rows.every((row: { text: string }) => row.text === JSON.parse(`"${text}"`))).toBe(true);
  expect(await sql`select count(*)::int as n from "odd ""name"""`).toEqual([{ n: numbers.length + 1 }] as never);
});

test("the same event of two projects is in one table twice", async () => {
  for (const teamId of [7, 8, 7, 8]) await put([eventLine(1)], { teamId });
  const rows = await sql`select team_id::int as team from "odd ""name""" order by 1`;
  expect([...rows]).toEqual([{ team: 7 }, { team: 8 }]);
});

test("persons are replaced by newer versions, never by older ones", async () => {
  const person = (id: string, version: number, name: string) => ({
    ...{ team_id: 7, distinct_id: id, person_id: uuidOf(version), properties: { name }, is_deleted: false },
    ...{ person_distinct_id_version: 0, person_version: version, created_at: "2026-01-01T00:00:00.000000Z" },
  });
  await put([person("a", 2, "two"), person("b", 1, "b"), person("a", 1, "one")], { model: "persons" });
  await put([person("a", 1, "late")], { model: "persons" });
  await put([person("b", 3, "new")], { model: "persons" });
  const rows = await sql`select distinct_id, properties ->> 'name' as name from "odd ""name""" order by 1`;
  expect([...rows]).toEqual([
    { distinct_id: "a", name: "two" },
    { distinct_id: "b", name: "new" },
  ]);
});

test("the test makes the table and leaves it empty", async () => {
  const open = await POSTGRES.open(config(), RANGE, envOf(folder));
  await open.test!(NEVER);
  await open.close();
  expect(await sql`select count(*)::int as n from "odd ""name"""`).toEqual([{ n: 0 }] as never);
});

test("a server that is stopped in the middle makes the try end; the next one completes it", async () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => eventLine(i));
  const open = await POSTGRES.open(config(), RANGE, envOf(folder));
  const first = open.put(partOf(folder, 0, lines), NEVER);
  const killing = (async () => {
    for (;;) {
      const found = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%jsonb_to_recordset%'`;
      if (found.length > 0) return;
    }
  })();
  await expect(first).rejects.toMatchObject({ code: "destination_unavailable", retryable: true });
  await killing;
  await open.close();
  await put(lines);
  expect(await sql`select count(*)::int as n from "odd ""name"""`).toEqual([{ n: 30_000 }] as never);
});

test("a cancel ends a statement that waits", async () => {
  await put([eventLine(1)]);
  await sql.begin(async (tx) => {
    await tx`lock table "odd ""name""" in exclusive mode`;
    const open = await POSTGRES.open(config(), RANGE, envOf(folder));
    const cancel = new AbortController();
    const waiting = open.put(partOf(folder, 0, [eventLine(2)]), cancel.signal);
    await until(
      async () =>
        (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%jsonb_to_recordset%'`)
          .length > 0,
    );
    cancel.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
  });
});

test("a table that somebody has locked ends the try, so that other exports have their turn", async () => {
  await put([eventLine(1)]);
  await sql.begin(async (tx) => {
    await tx`lock table "odd ""name""" in exclusive mode`;
    const open = await POSTGRES.open(config(), RANGE, { ...envOf(folder), statementTimeoutMs: 500 });
    await expect(open.put(partOf(folder, 0, [eventLine(2)]), NEVER)).rejects.toMatchObject({
      code: "destination_unavailable",
      retryable: true,
      message: expect.stringContaining("Is the table locked?"),
    });
    await open.close();
  });
  await put([eventLine(2)]);
  expect(await sql`select count(*)::int as n from "odd ""name"""`).toEqual([{ n: 2 }] as never);
});

test("a cancel before the first statement ends it, too", async () => {
  const reason = new Error("cancelled");
  const part = partOf(folder, 0, [eventLine(2)]);
  const late = await POSTGRES.open(config(), RANGE, envOf(folder));
  await expect(late.put(part, AbortSignal.abort(reason))).rejects.toThrow("cancelled");
  const cancel = new AbortController();
  const connecting = (await POSTGRES.open(config(), RANGE, envOf(folder))).put(part, cancel.signal);
  cancel.abort(reason);
  await expect(connecting).rejects.toThrow("cancelled");
});

describe("a problem", () => {
  test("of the table is told", async () => {
    await sql`create table "odd ""name""" (uuid text, event text)`;
    await expect(put([eventLine(1)])).rejects.toMatchObject({
      code: "destination_refused",
      message: expect.stringContaining("no unique index"),
    });
    // None of these tells a copy in every case.
    await sql`alter table "odd ""name""" add column id serial primary key`;
    await sql`create unique index on "odd ""name""" (uuid) where event = 'other'`;
    await sql`create unique index on "odd ""name""" (lower(uuid), event)`;
    await sql`create unique index on "odd ""name""" (uuid, id)`;
    await expect(put([eventLine(1)])).rejects.toMatchObject({
      code: "destination_refused",
      message: expect.stringContaining("no unique index"),
    });
    await sql`create unique index on "odd ""name""" (uuid) include (id)`;
    await expect(put([eventLine(1)])).rejects.toMatchObject({
      code: "destination_refused",
      retryable: false,
      message: expect.stringMatching(/does not exist \(42703\)/),
    });
  });

  test("of the connection passes, of the database does not", async () => {
    const attempt = async (more: Record<string, unknown>, allowPrivate = true) => {
      const open = await POSTGRES.open(config(more), RANGE, { ...envOf(folder), allowPrivate });
      try {
        await open.put(partOf(folder, 0, [eventLine(1)]), NEVER);
      } finally {
        await open.close();
      }
    };
    await expect(attempt({ port: 1 })).rejects.toMatchObject({ code: "destination_unavailable", retryable: true });
    await expect(attempt({ database: "nowhere" })).rejects.toMatchObject({ code: "destination_refused" });
    await expect(attempt({ user: "nobody" })).rejects.toMatchObject({ code: "destination_refused" });
    await expect(attempt({ schema: "nowhere" })).rejects.toMatchObject({ code: "destination_refused" });
    await expect(attempt({}, false)).rejects.toMatchObject({ code: "host_not_allowed" });
    await sql.unsafe(`alter database ${database.pathname.slice(1)} set default_transaction_read_only = on`);
    await expect(attempt({})).rejects.toMatchObject({ code: "destination_unavailable", retryable: true });
  });

  test.each([
    [{ table_name: "" }, "table_name"],
    [{ table_name: "x".repeat(64) }, "table_name"],
    [{ port: 70_000 }, "port"],
    [{ has_self_signed_cert: "no" }, "has_self_signed_cert"],
    [{ colour: "red" }, "colour"],
  ])("of settings: %p", (more, member) => {
    expect(() => POSTGRES.check(config(more))).toThrow(new RegExp(`^${member}: `));
  });

  test("of the model: a table has events or persons", async () => {
    const range = { ...RANGE, model: "sessions" as const };
    await expect(POSTGRES.open(config(), range, envOf(folder))).rejects.toMatchObject({ code: "invalid_config" });
  });
});
