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
/** Each name of WITH reads the one before it twice. */
const doublingWith = (names: number, body: (name: string) => string) =>
  `with a0 as (select 1 as x), ${Array.from({ length: names }, (_, i) => `a${i + 1} as (${body(`a${i}`)})`).join(", ")} select count() from a${names}`;
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
    ["doubling names of WITH, joined", doublingWith(39, (a) => `select l.x as x from ${a} l join ${a} r on l.x = r.x`)],
    ["doubling names of WITH, added", doublingWith(39, (a) => `select x from ${a} union all select x from ${a}`)],
    ["doubling names of WITH, behind IN", doublingWith(39, (a) => `select x from ${a} where x in ${a}`)],
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
    ["two tables of one name", "select count() from numbers(1000000000), numbers(1000000000)"],
    ["a bad level", "select quantile(2)(1)"],
    ["a level that is no number", "select quantile('1); drop table events')(1)"],
    ["a zone of text", "select toDateTime('2020-01-01', 'UTC''); drop table events; --')"],
    ["a statement behind a comment", "select 1 -- x\n; drop table events"],
    ["a statement in brackets", "select (drop table events)"],
    ["a nested comment", "select /* /* */ */ 1"],
    ["a semicolon in another script", "select 1\u037e select 2"],
    ["a letter that looks like another", "select count() from \u0435vents"],
    ["a quote that looks like one", "select \u2019x\u2019"],
    ["a lone surrogate as a name", "select \ud800 from events"],
    ["an escape in a name", "select `\\0` from events"],
    ["a name of another project", "select * from `2.events`"],
    ["a schema", "select * from main.events"],
    ["the engine's catalog", "select * from duckdb_tables"],
    ["the temporary table of results", "select * from result"],
    ["an engine's cast", "select 'x'::blob"],
    ["an engine's type", "select cast('1' as hugeint)"],
    ["an engine's macro", "select list_transform([1], x -> x)"],
    ["an engine's aggregate over an array", "select arrayReduce('read_text', ['/etc/passwd'])"],
    ["an aggregate with brackets in its name", "select arrayReduce('quantile(0.5)', [1])"],
    ["a prototype's name as aggregate", "select arrayReduce('constructor', [1])"],
    ["a function that sleeps", "select sleep(100)"],
    ["a function that throws", "select throwIf(1)"],
    ["a dictionary", "select dictGet('x', 'y', 1)"],
    ["a file function with combinator", "select fileIf('/etc/passwd', 1)"],
    ["combinators without end", `select sum${"OrNull".repeat(5000)}(1)`],
    ["lambdas in lambdas", `select ${"arrayMap(x -> ".repeat(40)}1${", [1])".repeat(40)}`],
    ["a type without end", `select JSONExtract('[]', '${"Array(".repeat(5000)}Int8${")".repeat(5000)}')`],
    ["a format letter", "select formatDateTime(now(), '%')"],
    ["a pattern of format", "select format('{999}', 'x')"],
    ["a JSON path of a fraction", "select JSONExtractString('[]', 1.5)"],
    ["a place of zero", "select properties.a[0] from events"],
    ["a frame without end", "select sum(1) over (rows between -1 preceding and current row) from events"],
    ["a window of windows", "select sum(sum(1) over ()) over () from events"],
    ["an aggregate in a lambda", "select arrayMap(x -> count(), [1]) from events"],
    ["rows of different lengths", "select * from (values (1), (1, 2))"],
    ["a limit from a column", "select event from events limit event"],
    ["a pivot", "select * from events pivot (count() for event in ('a'))"],
    ["a sample", "select * from events sample 0.1"],
    ["final", "select * from events final"],
    ["a unit of text", "select dateDiff('day''); drop table events; --', now(), now())"],
  ])("%s", async (_, query) => {
    const error = await failure(hogql(lake, query));
    expect(["invalid_hogql", "invalid_query"]).toContain(error.code);
    expect(error.message.length).toBeLessThan(600);
    expect((await hogql(lake, "select count() from events")).results).toEqual([[1]]);
  });
});

test("names of WITH that are read several times are answered", async () => {
  const query = doublingWith(4, (a) => `select x from ${a} union all select x from ${a}`);
  expect((await hogql(lake, query)).results).toEqual([[16]]);
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

test("long lists are answered, or refused for their length", async () => {
  const list = Array.from({ length: 2000 }, (_, i) => `'${i}'`).join(", ");
  expect((await hogql(lake, `select count() from events where event in (${list}, 'e')`)).results).toEqual([[1]]);
  const longer = Array.from({ length: 20_000 }, (_, i) => i).join(", ");
  expect((await failure(hogql(lake, `select 1 in (${longer})`))).message).toBe("The query is longer than 65536 bytes.");
});

test("comments are none of the query", async () => {
  expect((await hogql(lake, "select /* ' */ 1 -- ; drop table events")).results).toEqual([[1]]);
});

test("calls nested as deep as people nest them are answered, one after the other and at once", async () => {
  for (const depth of [3, 6, 9]) expect((await hogql(lake, nested(depth))).results).toEqual([["a"]]);
  const together = await Promise.all([hogql(lake, nested(7)), hogql(lake, "select 1"), hogql(lake, nested(8))]);
  expect(together.map((response) => response.results)).toEqual([[["a"]], [[1]], [["a"]]]);
});
