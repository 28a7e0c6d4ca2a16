import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { weirOn } from "../commands/weirProcess.ts";
import { EXPORTING, startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
let folder: string;

beforeAll(async () => {
  weir = await startWeir({ env: EXPORTING });
  folder = mkdtempSync(join(tmpdir(), "weir-posthog-"));
});
afterAll(async () => {
  await weir[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => weir.enterFreshProject());

type Body = Record<string, unknown>;

/** The lines that an import into the project prints; the last one is its report. */
async function importFrom(...argv: string[]): Promise<Body[]> {
  const where = ["--project", String(weir.environmentId), "--url", weir.url, "--key", weir.personalKey, "--json"];
  const env = { POSTHOG_API_KEY: weir.personalKey };
  const { out, error, code } = await weirOn(weir.dataDir, ["import", "posthog", ...argv, ...where], env);
  if (code !== 0) throw new Error(`the import ended with ${code}\n${out}\n${error}`);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const reportOf = async (...argv: string[]): Promise<Body> => (await importFrom(...argv)).at(-1)!;

const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;
const DAY = "2024-03-05";

/** As a batch export to S3 leaves them: times as Parquet has them, properties as JSON text. */
async function writeParquet(path: string, from: number, to: number): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`copy (
    select '0190d6e2-0000-7000-8000-' || lpad(i::varchar, 12, '0') as uuid,
      case when i % 7 = 0 then '$identify' else 'bought' end as event,
      case when i % 7 = 0 then 'user' else 'device' end || (i % 3) as distinct_id, 'p' || (i % 3) as person_id,
      case when i % 7 = 0 then json_object('$anon_distinct_id', 'device' || (i % 3), '$set', json_object('plan', 'free'))
        else json_object('price', i, 'id', 12345678901234567890::hugeint) end::varchar as properties,
      '{}' as person_properties, case when i = 1 then 'a:href="/x"' else '' end as elements_chain,
      timestamptz '${DAY} 10:00:00.123456+00' + interval (i) second as "timestamp",
      timestamptz '${DAY} 10:00:01+00' as created_at, timestamptz '${DAY} 10:00:01+00' as _inserted_at
    from range(${from}, ${to}) t(i)) to '${path}' (format parquet, compression zstd)`);
  connection.closeSync();
  instance.closeSync();
}

const CHECKSUM = "SELECT count(), sum(cityHash64(toString(uuid), event, distinct_id, toString(timestamp))) FROM events";

describe("files of batch exports", () => {
  test("with persons are the same events and persons, however often and in whatever order", async () => {
    const events = join(folder, "events");
    const persons = join(folder, "persons");
    mkdirSync(events);
    mkdirSync(persons);
    await writeParquet(join(events, "2024-03-05.parquet.zst"), 0, 50);
    // Exports overlap.
    await writeParquet(join(events, "2024-03-06.parquet"), 40, 80);
    const lines = [
      {
        uuid: uuid(100),
        event: "late",
        distinct_id: "user0",
        timestamp: "2024-03-07 00:00:00.5",
        properties: { a: 1 },
      },
      { uuid: uuid(101), event: "lost", distinct_id: "user0", timestamp: "never" },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(join(events, "late.jsonl.gz"), gzipSync(text));
    const rows = [0, 1, 2].flatMap((i) => {
      const person = {
        person_id: `p${i}`,
        created_at: "2023-01-01 00:00:00",
        properties: `{"plan": "pro", "big": 12345678901234567890}`,
      };
      const version = { person_version: 4, person_distinct_id_version: 1 };
      return [`device${i}`, `user${i}`, `mail${i}`].map((id) => ({ distinct_id: id, ...person, ...version }));
    });
    writeFileSync(join(persons, "persons.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

    const first = await reportOf(events, "--persons", persons);
    expect(first).toMatchObject({ rows: 95, stored: 81, duplicates: 10, rejected: 1, persons: 3, isWhole: true });
    const checksum = (await weir.query(CHECKSUM)).results;
    expect(await weir.number("SELECT count(DISTINCT person_id) FROM events")).toBe(3);
    const { results: people } = await weir.query("SELECT toString(properties), toString(created_at) FROM persons");
    expect(
      people.map(([text, at]) => [
        String(text).includes('"big":12345678901234567890'),
        String(text).includes('"pro"'),
        at,
      ]),
    ).toEqual(Array(3).fill([true, true, "2023-01-01 00:00:00"]));
    const exact = "SELECT count() FROM events WHERE toString(properties) LIKE '%:12345678901234567890%'";
    expect(await weir.number(exact)).toBeGreaterThan(50);

    const again = await reportOf(
      join(events, "late.jsonl.gz"),
      join(events, "2024-03-06.parquet"),
      join(events, "2024-03-05.parquet.zst"),
      "--persons",
      persons,
    );
    expect(again).toMatchObject({ stored: 0, duplicates: 91, isWhole: true });
    expect((await weir.query(CHECKSUM)).results).toEqual(checksum);
  });

  test("of the events page are typed as a table can be", async () => {
    const path = join(folder, "page.csv");
    const cells = (i: number) => `${uuid(i)},clicked,ada,2024-03-05T10:00:0${i}Z,${i * 2},true,007`;
    const head = "*.uuid,*.event,*.distinct_id,*.timestamp,properties.n,properties.ok,properties.code";
    writeFileSync(path, `${[head, cells(1), cells(2)].join("\n")}\n`);
    expect(await reportOf(path)).toMatchObject({ stored: 2, rejected: 0 });
    const { results } = await weir.query("SELECT properties FROM events ORDER BY timestamp");
    expect(results.map(([text]) => JSON.parse(String(text)))).toMatchObject([
      { n: 2, ok: true, code: "007" },
      { n: 4, ok: true, code: "007" },
    ]);
  });
});

describe("a PostHog with an API", () => {
  test("comes with its insights, and adds nothing when it comes again", async () => {
    const events = Array.from({ length: 40 }, (_, i) => ({
      uuid: uuid(1000 + i),
      event: i % 4 === 0 ? "bought" : "looked",
      distinct_id: `u${i % 5}`,
      timestamp: `2024-03-05T10:00:${String(i).padStart(2, "0")}.250Z`,
      properties: { $set: { n: i } },
    }));
    await weir.deliver(events);
    await weir.waitStored();
    const there = weir.environmentId;
    const action = (
      await weir.manage("POST", `/api/projects/${there}/actions/`, { name: "buys", steps: [{ event: "bought" }] })
    ).json as Body;
    const query = {
      kind: "TrendsQuery",
      series: [{ kind: "ActionsNode", id: action.id }],
      dateRange: { date_from: "2024-03-01", date_to: "2024-03-31" },
    };
    await weir.manage("POST", `/api/projects/${there}/insights/`, { name: "Buyers", saved: true, query });
    const before = (await weir.query(CHECKSUM)).results;

    await weir.enterFreshProject();
    const cloud = ["--from-cloud", "--posthog-host", weir.url, "--posthog-project", String(there)];
    const lines = await importFrom(...cloud);
    const objects = lines.find(({ type }) => type === "objects") as Body;
    expect(objects.counts).toMatchObject({ action: { added: 1 }, insight: { added: 1 } });
    expect(lines.at(-1)).toMatchObject({ stored: 40, persons: 5, rejected: 0, isWhole: true });
    expect((await weir.query(CHECKSUM)).results).toEqual(before);
    const { results: insights } = (await weir.manage("GET", `/api/projects/${weir.environmentId}/insights/`)).json as {
      results: Body[];
    };
    const { id } = insights.find(({ name }) => name === "Buyers")!;
    const answer = (await weir.manage("GET", `/api/projects/${weir.environmentId}/insights/${id}/?refresh=blocking`))
      .json as Body;
    expect((answer.result as { count: number }[])[0]!.count).toBe(10);

    const again = await importFrom(...cloud);
    expect(again.at(-1)).toMatchObject({ stored: 0, duplicates: 40, isWhole: true });
    expect((again.find(({ type }) => type === "objects") as Body).notes).toEqual([]);
  });
});
