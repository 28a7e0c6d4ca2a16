import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { failure, hogql } from "./support.ts";

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open([{ event: "e", distinctId: "d", timestampMs: 0 }]);
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

const nested = (depth: number) => `select ${"lower(".repeat(depth)}'A'${")".repeat(depth)}`;
const doubling = Array.from({ length: 25 }, (_, i) => `a${i} + a${i} as a${i + 1}`).join(", ");

describe("is refused, and the next query is answered", () => {
  test.each<[string, string]>([
    ["a second statement", "select 1; drop table events"],
    ["a second select", "select 1; select 2"],
    ["insert", "insert into events values (1)"],
    ["drop", "drop table events"],
    ["copy", "copy events to '/tmp/x'"],
    ["attach", "attach '/tmp/x' as x"],
    ["pragma", "pragma database_list"],
    ["set", "set memory_limit = '1TB'"],
    ["settings", "select 1 settings max_threads = 1"],
    ["outfile", "select 1 into outfile '/tmp/x'"],
    ["format", "select 1 format CSV"],
    ["a file function", "select read_csv('/etc/passwd')"],
    ["a file table", "select * from read_csv('/etc/passwd')"],
    ["a file as table", "select * from '/etc/passwd'"],
    ["a quoted file as table", "select * from `/etc/passwd`"],
    ["a parquet glob", "select * from read_parquet('*.parquet')"],
    ["text of a file", "select read_text('/etc/passwd')"],
    ["a list of files", "select * from glob('/*')"],
    ["the environment", "select getenv('HOME')"],
    ["the engine's tables", "select * from information_schema.tables"],
    ["the engine's functions", "select * from duckdb_settings()"],
    ["a url", "select * from url('http://localhost', CSV)"],
    ["a remote table", "select * from remote('localhost', system.one)"],
    ["a table of ClickHouse", "select * from system.query_log"],
    ["the engine's column", "select lane from events"],
    ["the engine's alias", "select t0.lane from events"],
    ["the engine's row number", "select ordinal, rowid from events"],
    ["a macro", "select getvariable('x')"],
    ["a prototype's name as function", "select constructor(1)"],
    ["a prototype's name as field", "select __proto__ from events"],
    ["a prototype's name as table", "select 1 from constructor"],
    ["a quote in a table", 'select 1 from `events" e; drop table events; --`'],
    ["a quote in a function", "select `lower('a'); drop table events; --`('a')"],
    ["another project", "select 1 as team_id from events"],
    ["nesting", nested(500)],
    ["brackets", `select ${"(".repeat(3000)}1${")".repeat(3000)}`],
    ["arrays", `select ${"[".repeat(200)}1${"]".repeat(200)}`],
    ["subqueries", `${"select * from (".repeat(60)}select 1${")".repeat(60)}`],
    ["a long sum", `select ${Array(400).fill("1").join("+")}`],
    ["a long text", `select '${"x".repeat(100_000)}'`],
    ["doubling aliases", `select 1 as a0, ${doubling}`],
    ["nothing", ""],
    ["blanks", "   "],
    ["a comment only", "-- select 1"],
    ["an open quote", "select 'abc"],
    ["an open bracket", "select (1"],
    ["an open comment", "select 1 /* "],
    ["a NUL", "select \0 from events"],
    ["a right-to-left mark", "select \u202e event from events"],
    ["full-width letters", "ｓｅｌｅｃｔ 1"],
    ["a huge limit", "select 1 limit 99999999999999999999"],
    ["a placeholder", "select {x}"],
    ["a code placeholder", "select {constructor.constructor('return process')()}"],
    ["a hog program", "let x := 1; return x"],
    ["an element", "select <Sparkline data={[1]} />"],
    ["a lambda", "select x -> x"],
    ["all columns of none", "select *"],
    ["columns by pattern", "select columns('.*') from events"],
    ["recursion", "with recursive x as (select 1 union all select * from x) select * from x"],
    ["a cross join without end", "select count() from numbers(1000000000), numbers(1000000000)"],
    ["a bad level", "select quantile(2)(1)"],
    ["a level that is no number", "select quantile('1); drop table events')(1)"],
    ["a zone of text", "select toDateTime('2020-01-01', 'UTC''); drop table events; --')"],
    ["a unit of text", "select dateDiff('day''); drop table events; --', now(), now())"],
  ])(
    "%s",
    async (_, query) => {
      const error = await failure(hogql(lake, query));
      expect(["invalid_hogql", "invalid_query"]).toContain(error.code);
      expect(error.message.length).toBeLessThan(600);
      expect((await hogql(lake, "select count() from events")).results).toEqual([[1]]);
    },
    30_000,
  );
});

test("text of a user is a value, never SQL", async () => {
  const text = `'; drop table events; -- " \\ $1 \${x} /* {y} %`;
  const literal = `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const response = await hogql(
    lake,
    `select ${literal} as \`a"; drop table events; --\`, properties.\`'"; drop\`, event = ${literal} from events where event != ${literal}`,
  );
  expect(response.results).toEqual([[text, null, false]]);
  expect(response.columns[0]).toBe('a"; drop table events; --');
  expect(lake.lastSql).not.toContain("drop");
});

test("comments are none of the query", async () => {
  expect((await hogql(lake, "select /* ' */ 1 -- ; drop table events")).results).toEqual([[1]]);
});

test("calls nested as deep as people nest them are answered, one after the other and at once", async () => {
  for (const depth of [3, 6, 9]) expect((await hogql(lake, nested(depth))).results).toEqual([["a"]]);
  const together = await Promise.all([hogql(lake, nested(7)), hogql(lake, "select 1"), hogql(lake, nested(8))]);
  expect(together.map((response) => response.results)).toEqual([[["a"]], [[1]], [["a"]]]);
}, 60_000);
