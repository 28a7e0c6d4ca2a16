import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { runCommand, WEIR } from "../../commands/weirProcess.ts";
import { startWeir, type Weir } from "../../support/weir.ts";
import { ExportApi, linesOf, type RowsOf, zipOf } from "../staging/exportApi.ts";

let weir: Weir;
let folder: string;
beforeAll(async () => {
  weir = await startWeir();
});
afterAll(() => weir[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-sources-"));
  await weir.enterFreshProject();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  rows: number;
  stored: number;
  duplicates: number;
  rejected: number;
  leftOut: number;
  persons: number;
  missing: number;
  made: { sent: number; stored: number; duplicates: number; missing: number };
  sharedDeviceCount: number;
  isWhole: boolean;
}

const keys = { MIXPANEL_SECRET: "secret", AMPLITUDE_API_KEY: "key", AMPLITUDE_SECRET_KEY: "secret" };

const where = () => ["--project", String(weir.environmentId), "--url", weir.url, "--key", weir.personalKey];

/** Folders of imports. */
const imports = () => (existsSync(join(weir.dataDir, "imports")) ? readdirSync(join(weir.dataDir, "imports")) : []);

/** Imports into the project to the end, and gives the report. */
const importFrom = (argv: readonly string[]) => weirImport([...argv, ...where()]);

async function weirImport(argv: readonly string[]): Promise<Report> {
  const env = { ...keys, WEIR_DATA_DIR: weir.dataDir };
  const { out, error, code } = await runCommand([WEIR, "import", ...argv, "--json"], { env });
  if (code !== 0) throw new Error(`the import ended with ${code}\n${error}\n${out}`);
  const lines = out.trim().split("\n");
  return JSON.parse(lines[lines.length - 1]!) as Report;
}

function write(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** How many persons the events of a name, or all, are of. */
const persons = (name = "") =>
  weir.number(`select count(distinct person_id) from events where '${name}' in ('', event)`);
const events = () => weir.number("select count() from events where event not in ('$identify', '$groupidentify')");

/** The table of JSON lines, with 64-bit integers in place of their texts. */
async function toParquet(json: string, parquet: string): Promise<void> {
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  await connection.run(
    `copy (select * replace (event_timestamp::bigint as event_timestamp, batch_event_index::bigint as batch_event_index)
     from read_json('${json}')) to '${parquet}' (format parquet)`,
  );
  connection.closeSync();
  database.closeSync();
}

const second = (i: number) => String(i % 60).padStart(2, "0");

describe("Mixpanel", () => {
  /** Six rows a day, of two users whose devices were anonymous first; the fifth comes twice. Later downloads turn them and add one. */
  const rowsOf: RowsOf = (day, attempt) => {
    const time = Date.parse(`${day}T10:00:00.250Z`);
    const row = (i: number, ids: object) => ({
      event: i === 0 ? "$mp_web_page_view" : "clicked",
      properties: { time: time + i * 1000, $insert_id: `${day}-${i}`, mp_country_code: "DE", ...ids },
    });
    const device = { distinct_id: "$device:d1", $device_id: "d1" };
    const user = { distinct_id: "u1", $user_id: "u1", $device_id: "d1" };
    const rows = [
      row(0, device),
      row(1, user),
      row(2, { distinct_id: "u2" }),
      row(3, user),
      row(4, user),
      row(4, user),
    ];
    if (attempt > 1) rows.reverse().push(row(5, { distinct_id: "late" }));
    return rows;
  };
  const profiles = [
    { $distinct_id: "u1", $properties: { $email: "u1@b.c", $last_seen: "2024-02-02T00:00:00" } },
    { $distinct_id: "u2", $properties: { $email: "u2@b.c", $created: "2024-01-01T00:00:00" } },
  ];

  test("by its API, again with another order and late rows", async () => {
    const double = new ExportApi(rowsOf, profiles);
    try {
      double.behave("2024-01-31", (attempt) =>
        attempt === 1 ? new Response("", { status: 429, headers: { "retry-after": "0" } }) : null,
      );
      const days = ["--from", "2024-01-30", "--to", "2024-02-01"];
      const argv = ["mixpanel", "--mixpanel-project", "7", "--account", "a", "--mixpanel-host", double.url, ...days];
      const first = await importFrom(argv);
      // The second day came at the second try: as a later download has it.
      expect(first).toMatchObject({ rows: 21, stored: 17, duplicates: 3, persons: 1, missing: 0, isWhole: true });
      expect(first.made).toMatchObject({ sent: 2, stored: 2, missing: 0 });
      expect([await persons("clicked"), await persons("$pageview")]).toEqual([3, 1]);
      const again = await importFrom(argv);
      expect(again).toMatchObject({ rows: 23, stored: 2, duplicates: 20, missing: 0, isWhole: true });
      expect(again.made).toMatchObject({ sent: 2, stored: 0, duplicates: 2, missing: 0 });
      expect(await events()).toBe(19);
      const { results } = await weir.query(
        "select distinct person.properties.email from events where event = 'clicked' and distinct_id in ('u1', 'u2') order by 1",
      );
      expect(results).toEqual([["u1@b.c"], ["u2@b.c"]]);
    } finally {
      await double.close();
    }
  });
});

describe("groups of Mixpanel", () => {
  test("by its API, and again", async () => {
    const rowsOf: RowsOf = (day) => [
      { event: "a", properties: { time: Date.parse(day), $insert_id: day, distinct_id: "u", company_id: "c1" } },
    ];
    const groups = ["c1", "c2", "c3"].map((id) => ({
      $distinct_id: id,
      $properties: { $name: id.toUpperCase(), $last_seen: "2024-02-02T00:00:00" },
    }));
    const double = new ExportApi(rowsOf, [], 2, { "-12": groups });
    try {
      const days = ["--from", "2024-01-30", "--to", "2024-01-30", "--group-keys", "company_id=-12"];
      const api = ["mixpanel", "--mixpanel-project", "7", "--account", "a", "--mixpanel-host", double.url];
      expect(await importFrom([...api, ...days])).toMatchObject({ rows: 4, stored: 4, missing: 0, isWhole: true });
      expect(double.attemptsOf("page 1 of -12")).toBe(1);
      const { results } = await weir.query("select key, properties.name from groups order by key");
      expect(results).toEqual([
        ["c1", "C1"],
        ["c2", "C2"],
        ["c3", "C3"],
      ]);
      expect((await weir.query("select $group_0 from events where event = 'a'")).results).toEqual([["c1"]]);
      expect(await importFrom([...api, ...days])).toMatchObject({ rows: 4, stored: 0, duplicates: 4, isWhole: true });
    } finally {
      await double.close();
    }
  });
});

describe("an API that is killed while it is asked", () => {
  test("is not asked again for what was there", async () => {
    const rowsOf: RowsOf = (day, attempt) => [
      { event: "a", properties: { time: Date.parse(day), $insert_id: `${day} ${attempt}`, distinct_id: "u" } },
    ];
    const double = new ExportApi(rowsOf);
    try {
      const asked = Promise.withResolvers<void>();
      double.behave("2024-01-31", (attempt) => {
        if (attempt > 1) return null;
        asked.resolve();
        return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
      });
      const before = new Set(imports());
      const days = ["--from", "2024-01-30", "--to", "2024-02-01", "--no-profiles"];
      const api = ["--mixpanel-project", "7", "--account", "a", "--mixpanel-host", double.url];
      const child = Bun.spawn([WEIR, "import", "mixpanel", ...api, ...days, ...where()], {
        env: { ...process.env, ...keys, WEIR_DATA_DIR: weir.dataDir },
        stdout: "ignore",
        stderr: "ignore",
      });
      await asked.promise;
      child.kill("SIGKILL");
      await child.exited;
      const id = imports().find((name) => !before.has(name))!;
      const report = await weirImport(["resume", id, "--key", weir.personalKey]);
      expect(report).toMatchObject({ rows: 3, stored: 3, missing: 0, isWhole: true });
      expect(["2024-01-30", "2024-01-31", "2024-02-01"].map((day) => double.attemptsOf(day))).toEqual([1, 2, 1]);
    } finally {
      await double.close();
    }
  });
});

describe("Amplitude", () => {
  const rowsOf: RowsOf = (day, attempt) => {
    if (day === "2024-01-31") return [];
    const row = (i: number, more: object) => ({
      event_type: "opened",
      event_time: `${day} 10:00:${second(i)}.000000`,
      uuid: `00000000-0000-4000-8000-${day.replaceAll("-", "")}000${i}`,
      device_id: "d1",
      session_id: Date.parse(`${day}T10:00:00Z`),
      ...more,
    });
    const group = { groups: { company: ["acme"] }, group_properties: { company: { acme: { size: 5 } } } };
    const rows = [
      row(0, {}),
      row(1, { user_id: "u1", user_properties: { plan: "pro" } }),
      row(2, { user_id: "u1", ...group }),
      row(3, { event_type: "session_start" }),
      row(4, { event_time: "soon" }),
      row(5, { user_id: "u2", device_id: "shared" }),
      row(6, { user_id: "u3", device_id: "shared" }),
    ];
    return attempt > 1 ? rows.reverse() : rows;
  };

  test("by its API, and again from its zips", async () => {
    const double = new ExportApi(rowsOf);
    try {
      const days = ["--from", "2024-01-30", "--to", "2024-02-01"];
      const argv = ["amplitude", ...days, "--amplitude-host", double.url];
      const first = await importFrom(argv);
      expect(first).toMatchObject({ rows: 14, stored: 10, duplicates: 0, rejected: 2, leftOut: 2, isWhole: true });
      // One $identify, one $groupidentify a day; the shared device connects nobody.
      expect(first).toMatchObject({ sharedDeviceCount: 1, made: { sent: 3, stored: 3, missing: 0 } });
      expect(await persons("opened")).toBe(3);
      expect(await weir.number("select count(distinct $session_id) from events where event = 'opened'")).toBe(4);
      const zips = ["2024-01-30", "2024-02-01"].map((day) =>
        write(`${day}.zip`, zipOf([["1/1_0.json.gz", gzipSync(linesOf(rowsOf(day, 2)))]])),
      );
      const again = await importFrom(["amplitude", ...zips.reverse()]);
      expect(again).toMatchObject({ rows: 14, stored: 0, duplicates: 10, rejected: 2, leftOut: 2, isWhole: true });
      expect(again.made).toMatchObject({ stored: 0, duplicates: 3 });
    } finally {
      await double.close();
    }
  });
});

describe("files, and again in another order", () => {
  /** Imports rows, then the same rows turned; the second time adds nothing. */
  async function twice(argv: string[], name: string, rows: readonly string[], head = ""): Promise<Report> {
    const path = write(name, `${head}${rows.join("\n")}\n`);
    const first = await importFrom([...argv, path]);
    expect(first).toMatchObject({ missing: 0, isWhole: true });
    expect(first.stored).toBeGreaterThan(0);
    const before = await weir.number("select count() from events");
    write(name, `${head}${[...rows].reverse().join("\n")}\n`);
    const again = await importFrom([...argv, path]);
    expect(again).toMatchObject({ rows: first.rows, stored: 0, duplicates: first.stored + first.duplicates });
    expect(again).toMatchObject({ missing: 0, rejected: first.rejected, leftOut: first.leftOut });
    expect(again.made).toMatchObject({ sent: first.made.sent, stored: 0, missing: 0 });
    expect(await weir.number("select count() from events")).toBe(before);
    return first;
  }

  test("of Segment", async () => {
    const call = (type: string, i: number, more: object) =>
      JSON.stringify({ type, messageId: `m${i}`, timestamp: `2024-01-31T10:00:${second(i)}Z`, ...more });
    const report = await twice(["segment"], "1706662800000.abc.log", [
      call("page", 0, { anonymousId: "a1", properties: { url: "https://a.b/c" } }),
      call("identify", 1, { anonymousId: "a1", userId: "u1", traits: { email: "u1@b.c" } }),
      call("track", 2, { anonymousId: "a1", userId: "u1", event: "Bought" }),
      call("track", 2, { anonymousId: "a1", userId: "u1", event: "Bought" }),
      call("track", 3, { anonymousId: "a2", userId: "u1", event: "Bought" }),
      call("screen", 4, { anonymousId: "a2", name: "Home" }),
      call("group", 5, { userId: "u1", groupId: "acme", traits: { size: 5 } }),
      call("alias", 6, { userId: "u1", previousId: "old" }),
      call("track", 7, { userId: "old", event: "Bought" }),
      call("track", 8, { event: "Bought" }),
      call("delete", 9, { userId: "u1" }),
    ]);
    expect(report).toMatchObject({ rows: 11, stored: 8, duplicates: 1, rejected: 1, leftOut: 1, made: { sent: 2 } });
    expect([await persons("Bought"), await persons("$pageview"), await persons()]).toEqual([1, 1, 1]);
    const { results } = await weir.query(
      "select distinct person.properties.email, $group_0 from events where event = '$groupidentify'",
    );
    expect(results[0]?.[0]).toBe("u1@b.c");
  });

  test("of GA4", async () => {
    const row = (i: number, more: object) =>
      JSON.stringify({
        event_date: "20240131",
        event_timestamp: String(1706695200000000 + i * 1_000_001),
        event_name: "page_view",
        event_params: [{ key: "ga_session_id", value: { int_value: "1706695190" } }],
        user_pseudo_id: "d1",
        stream_id: "1",
        batch_event_index: String(i),
        ...more,
      });
    const report = await twice(["ga4", "--drop", "session_start,first_visit", "--anonymous"], "events_20240131.json", [
      row(0, { event_name: "session_start" }),
      row(1, {}),
      row(2, { user_id: "u1", user_properties: [{ key: "plan", value: { string_value: "pro" } }] }),
      row(2, { user_id: "u1" }),
      row(3, { user_pseudo_id: null }),
      row(4, { event_timestamp: null }),
    ]);
    expect(report).toMatchObject({ rows: 6, stored: 3, duplicates: 1, rejected: 1, leftOut: 1, made: { sent: 1 } });
    expect(await persons("$pageview")).toBe(2);
    // BigQuery's Parquet has numbers where its JSON has texts.
    const parquet = join(folder, "events_20240131.parquet");
    await toParquet(join(folder, "events_20240131.json"), parquet);
    const again = await importFrom(["ga4", "--drop", "session_start,first_visit", "--anonymous", parquet]);
    expect(again).toMatchObject({ rows: 6, stored: 0, duplicates: 4, rejected: 1, leftOut: 1, missing: 0 });
    expect(
      await weir.number(
        "select count(distinct $session_id) from events where distinct_id in ('d1', 'u1') and event = '$pageview'",
      ),
    ).toBe(1);
  });

  test("of Umami, with the properties of its events", async () => {
    const id = (i: number) => `00000000-0000-4000-8000-00000000000${i}`;
    const columns =
      "website_id,session_id,visit_id,event_id,hostname,url_path,event_type,event_name,distinct_id,created_at";
    const row = (i: number, event: string, user = "", session = "s1") =>
      `w1,${session},v1,${id(i)},a.b,/c,${event},${user},2024-01-31 10:00:${second(i)}`;
    const data = [
      `x1,w1,${id(2)},price,29.9900,29.9900,,2`,
      `x2,w1,${id(2)},"plan, of it",pro,,,1`,
      `x3,w1,${id(2)},tags,"[""a"",""b""]",,,5`,
    ];
    const head = "event_data_id,website_id,website_event_id,data_key,string_value,number_value,date_value,data_type";
    const file = write("event_data.csv", `${head}\n${data.join("\n")}\n`);
    const rows = [row(1, "1,"), row(2, "2,bought", "u1"), row(3, "1,", "u1", "s2"), row(4, "2,"), row(5, "1,", "", "")];
    const visitor =
      "session_data_id,website_id,session_id,data_key,string_value,number_value,date_value,data_type,created_at";
    const visitors = write(
      "session_data.csv",
      `${visitor}\ny1,w1,s1,plan,pro,,,1,2024-01-31 10:00:00\ny2,w1,s1,seats,,5.0000,,2,2024-01-31 10:00:00\n`,
    );
    const revenue = write(
      "revenue.csv",
      `revenue_id,website_id,session_id,event_id,event_name,currency,revenue,created_at
r1,w1,s1,${id(2)},bought,EUR,29.9900,2024-01-31 10:00:02\n`,
    );
    const report = await twice(["umami", file, visitors, revenue], "website_event.csv", rows, `${columns}\n`);
    expect(report).toMatchObject({ rows: 7, stored: 5, duplicates: 0, rejected: 2, made: { sent: 2 } });
    const brought = await weir.query(
      "select properties.revenue, properties.currency from events where event = 'bought'",
    );
    expect(brought.results).toEqual([[29.99, "EUR"]]);
    const who = await weir.query("select distinct person.properties.plan, person.properties.seats from events");
    expect(who.results).toEqual([["pro", 5]]);
    expect([await persons("$pageview"), await persons()]).toEqual([1, 1]);
    const { results } = await weir.query(
      "select toFloat(properties.price), properties['plan, of it'], properties.tags from events where event = 'bought'",
    );
    expect(results).toEqual([[29.99, "pro", '["a","b"]']]);
  });
});
