import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { WEIR, weirOn } from "../commands/weirProcess.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import {
  expectedByDay,
  historyOf,
  importInto,
  MAPPING,
  reportIn,
  storedByDay,
  writeHistory,
  writeMapping,
} from "./history.ts";

let weir: Weir;
let folder: string;
beforeAll(async () => {
  weir = await startWeir();
  folder = mkdtempSync(join(tmpdir(), "weir-file-"));
});
afterAll(async () => {
  await weir[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe("weir import file", () => {
  test("brings CSV, JSON lines and packed files of a folder by one mapping, and tells what became of the rows", async () => {
    await weir.enterFreshProject();
    const into = mkdtempSync(join(folder, "many-"));
    const rows = historyOf(3_000, 5);
    const columns = ["ts", "user", "device", "name", "amount"] as const;
    const csv = [columns.join(","), ...rows.slice(0, 1000).map((row) => columns.map((name) => row[name]).join(","))];
    writeFileSync(join(into, "a.csv"), `${csv.join("\n")}\nno time,u,d,viewed,1\n,u,d,viewed,1\nshort,row\n`);
    writeHistory(into, "b.jsonl", rows.slice(1000, 2000));
    writeFileSync(
      join(into, "c.jsonl.gz"),
      gzipSync(
        rows
          .slice(2000)
          .map((row) => JSON.stringify(row))
          .join("\n"),
      ),
    );
    const map = writeMapping(folder, { ...MAPPING, drop: [{ column: "name", is: "left" }] });
    const report = reportIn(await importInto(weir, ["file", into, "--map", map, "--json"]));
    const kept = rows.filter(({ name }) => name !== "left");
    expect(report).toMatchObject({
      rows: 3_003,
      stored: kept.length,
      duplicates: 0,
      missing: 0,
      rejected: 3,
      rejectedBy: { bad_time: 1, no_time: 1, unreadable: 1 },
      leftOut: rows.length - kept.length,
      isWhole: true,
    });
    expect(await storedByDay(weir)).toEqual(expectedByDay(kept));
    const marks = await weir.query("select properties.$import_id, count() from events group by 1");
    expect(marks.results).toEqual([[report.id, kept.length + Number((report.made as { stored: number }).stored)]]);
    // A person is a user with both devices.
    expect(await weir.number("select count(distinct person_id) from events")).toBe(
      new Set(kept.map(({ user }) => user)).size,
    );
    const listed = await weir.manage("GET", `/api/projects/${weir.environmentId}/imports/`);
    expect(listed.json).toMatchObject({
      results: [
        {
          ...{ id: report.id, source: "file", state: "completed", error: null },
          counts: {
            rejectExamples: {
              bad_time: [{ place: expect.stringMatching(/a\.csv:1002$/), raw: expect.stringContaining("no time") }],
              no_time: [{ place: expect.stringMatching(/a\.csv:1003$/) }],
              unreadable: [{ place: expect.stringMatching(/a\.csv:1004$/) }],
            },
          },
        },
      ],
    });
    const keys = await weirOn(weir.dataDir, ["keys", "list", "--json"]);
    expect(keys.out).not.toContain("weir import");

    // Rejects are mended in their place, and come again alone.
    const rejects = readFileSync(String(report.rejects), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rejects.map(({ line, reason }) => [line, reason])).toEqual([
      [1002, "bad_time"],
      [1003, "no_time"],
      [1004, "unreadable"],
    ]);
    rejects[0].raw = JSON.stringify({ ...JSON.parse(rejects[0].raw), ts: "2024-02-03T04:05:06Z" });
    rejects[1].raw = { ...JSON.parse(rejects[1].raw), ts: "2024-02-03T04:05:06Z" };
    const mended = write("rejects.jsonl", rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(""));
    const again = reportIn(await importInto(weir, ["file", mended, "--map", map, "--json"]));
    expect(again).toMatchObject({ rows: 3, stored: 2, rejected: 1, rejectedBy: { bad_json: 1 }, isWhole: true });
  });

  test("pauses where the API asks for it, and goes on", async () => {
    await weir.enterFreshProject();
    const rows = historyOf(60_000, 9);
    const path = writeHistory(folder, "long.jsonl", rows);
    const ended = importInto(weir, ["file", path, "--map", writeMapping(folder)]);
    const imports = `/api/projects/${weir.environmentId}/imports/`;
    let id = "";
    await until("the importer at work", HANG_MS, async () => {
      const { json } = await weir.manage("GET", imports);
      const [first] = (json as { results: { id: string; state: string }[] }).results;
      id = first?.id ?? "";
      return first !== undefined && first.state !== "created";
    });
    expect(await weir.manage("POST", `${imports}${id}/pause/`)).toMatchObject({ json: { state: "stopping" } });
    expect((await ended).code).toBe(130);
    expect(await weir.manage("GET", `${imports}${id}/`)).toMatchObject({ json: { state: "paused", error: null } });
    const { code } = await weirOn(weir.dataDir, ["import", "resume", id]);
    expect(code).toBe(0);
    const { json } = await weir.manage("GET", `${imports}${id}/`);
    expect(json).toMatchObject({ state: "completed", counts: { rows: rows.length, missing: 0, isWhole: true } });
    expect(await storedByDay(weir)).toEqual(expectedByDay(rows));
  });

  test("that is undone while it runs leaves nothing of what it sends until it learns that", async () => {
    await weir.enterFreshProject();
    const path = writeHistory(folder, "undone-early.jsonl", historyOf(60_000, 9));
    const ended = importInto(weir, ["file", path, "--map", writeMapping(folder)]);
    const imports = `/api/projects/${weir.environmentId}/imports/`;
    let id = "";
    await until("an importer that sends", HANG_MS, async () => {
      const { json } = await weir.manage("GET", imports);
      const [first] = (json as { results: { id: string; state: string }[] }).results;
      id = first?.id ?? "";
      return first?.state === "sending";
    });
    expect(await weir.manage("POST", `${imports}${id}/undo/`)).toMatchObject({ json: { state: "undone" } });
    expect(await ended).toMatchObject({ code: 1, error: expect.stringContaining("was undone") });
    await weir.waitStored();
    expect(await weir.number("select count() from events")).toBe(0);
    expect(await weir.manage("GET", `${imports}${id}/`)).toMatchObject({ json: { state: "undone" } });
  });

  test("takes events as clients send them without a mapping", async () => {
    await weir.enterFreshProject();
    const uuid = "0198b0f0-0000-4000-8000-000000000001";
    const lines = [
      { uuid, event: "seen", distinct_id: "ada", timestamp: "2024-03-01T10:00:00.123456Z", properties: { n: 1 } },
      { uuid, event: "seen", distinct_id: "ada", timestamp: "2024-03-01T10:00:00.123456Z", properties: { n: 1 } },
      {
        event: "seen",
        distinct_id: 12345678901234567890n,
        timestamp: 1709287200000,
        properties: { $set: { plan: "free", seats: 2 } },
        $set: { plan: "paid" },
        $set_once: { source: "ad" },
      },
    ];
    const text = lines.map((line) =>
      JSON.stringify(line, (_key, value) => (typeof value === "bigint" ? Number(value) : value)),
    );
    const path = write("events.jsonl", text.join("\n").replace("12345678901234567000", "12345678901234567890"));
    const report = reportIn(await importInto(weir, ["file", path, "--json"]));
    expect(report).toMatchObject({ rows: 3, stored: 2, duplicates: 1, missing: 0, isWhole: true });
    const { results } = await weir.query(
      "select distinct_id, toString(uuid), toUnixTimestamp(timestamp) from events order by distinct_id",
    );
    expect(results).toEqual([
      ["12345678901234567890", expect.any(String), 1709287200],
      ["ada", uuid, 1709287200],
    ]);
    const persons = await weir.query(
      "select toString(person.properties) from person_distinct_ids order by distinct_id",
    );
    expect(persons.results).toEqual([['{"plan":"paid","seats":2,"source":"ad"}'], ["{}"]]);
  });

  test("refuses a changed mapping unless told, what it cannot read, and wrong arguments, with a sentence", async () => {
    await weir.enterFreshProject();
    const path = writeHistory(folder, "short.jsonl", historyOf(50, 6));
    const map = writeMapping(folder);
    expect((await importInto(weir, ["file", path, "--map", map])).code).toBe(0);
    const other = writeMapping(folder, { ...MAPPING, properties: "*" });
    const changed = await importInto(weir, ["file", path, "--map", other]);
    expect(changed).toMatchObject({ code: 1, error: expect.stringContaining("--as-new") });
    expect((await importInto(weir, ["file", path, "--map", other, "--as-new"])).code).toBe(0);
    const wrong: [string[], string][] = [
      [["file"], "Name a file"],
      [["nothing", path], `There is no source "nothing"`],
      [["file", join(folder, "absent.jsonl")], "There is no file or folder"],
      [["file", write("imported_visitors_2024.csv", "date,visitors\n")], "totals by day and no events"],
      [["file", path, "--from", "yesterday"], "--from must be a day"],
      [["file", path, "--map", write("even.json", '{"even": "x"}')], `no member "even"`],
    ];
    for (const [argv, sentence] of wrong) {
      const { code, error } = await importInto(weir, argv);
      expect(error.split("\n")[0]).toContain(sentence);
      expect(code).toBe(2);
    }
    expect((await weirOn(weir.dataDir, ["import", "file", path])).error).toContain("--project is missing");
    const nobody = await weirOn(weir.dataDir, ["import", "file", path, "--project", "999", "--map", map]);
    expect(nobody).toMatchObject({ code: 1, error: expect.stringContaining("404") });
  });

  test("tells in a dry run what would come, sends nothing, and ends with 3 above the limit of rejects", async () => {
    await weir.enterFreshProject();
    const rows: object[] = historyOf(2_000, 7).map((row) => ({ ...row, note: "unused" }));
    rows.push(
      { user: "u" },
      { user: "u", ts: "9999-01-01T00:00:00Z", name: "viewed" },
      { ts: "2024-01-01", name: "viewed" },
    );
    rows.push({ ts: "2024-01-01", name: "viewed", user: "another", device: "device of user-1 1", amount: "text" });
    const path = write("dry.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    const map = writeMapping(folder);
    const ended = await importInto(weir, ["file", path, "--map", map, "--dry-run", "--json"]);
    expect(ended.code).toBe(3);
    const found = reportIn(ended);
    expect(found).toMatchObject({
      rows: 2_004,
      events: 2_001,
      rejected: 3,
      from: "2024-01-01T00:00:00.000Z",
      sharedDevices: 1,
      unusedColumns: [{ name: "note", rows: 2_000 }],
      mixedTypes: [{ name: "amount", types: { number: 2_000, string: 1 } }],
    });
    const rejected = found.rejectedBy as { reason: string; rows: number; examples: { place: string }[] }[];
    expect(rejected.map(({ reason }) => reason).sort()).toEqual(["bad_time", "no_id", "no_time"]);
    expect(rejected.find(({ reason }) => reason === "no_time")!.examples[0]!.place).toBe(`${path}:2001`);
    const allowed = await importInto(weir, ["file", path, "--map", map, "--dry-run", "--max-rejects", "1%"]);
    expect(allowed).toMatchObject({ code: 0, out: expect.stringContaining("2,004 rows: 2,001 events") });
    const sampled = reportIn(
      await importInto(weir, ["file", path, "--map", map, "--dry-run", "--sample", "10", "--json"]),
    );
    expect(sampled).toMatchObject({ rows: 10, isSample: true });
    expect(await weir.number("select count() from events")).toBe(0);
    expect((await weir.manage("GET", `/api/projects/${weir.environmentId}/imports/`)).json).toMatchObject({ count: 0 });
  });

  test("stops in order at Ctrl-C and goes on with resume; status and report tell of it", async () => {
    await weir.enterFreshProject();
    const rows = historyOf(30_000, 8);
    const path = writeHistory(folder, "stopped.jsonl", rows);
    const map = writeMapping(folder);
    const state = join(folder, "state");
    const argv = ["file", path, "--map", map, "--project", String(weir.environmentId), "--state", state];
    const child = Bun.spawn([WEIR, "import", ...argv], {
      env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
      stdout: "pipe",
      stderr: "pipe",
    });
    const printed = new Response(child.stderr).text();
    await until(
      "some batches",
      HANG_MS,
      () => existsSync(join(state, "sent.bin")) && Bun.file(join(state, "sent.bin")).size > 50_000,
    );
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    const [, hint = ""] = /To go on: weir (import resume .*)/.exec(await printed) ?? [];
    const { results } = (await weir.manage("GET", `/api/projects/${weir.environmentId}/imports/`)).json as {
      results: { id: string; state: string }[];
    };
    expect(results).toMatchObject([{ state: "paused" }]);
    const status = await importInto(weir, ["status", results[0]!.id, "--state", state]);
    expect(status.out).toContain("is paused");
    expect((await importInto(weir, ["report", results[0]!.id, "--state", state])).code).toBe(1);
    const report = reportIn(await weirOn(weir.dataDir, [...hint.trim().split(" "), "--json"]));
    expect(report).toMatchObject({ rows: 30_000, stored: 30_000, duplicates: 0, missing: 0, isWhole: true });
    expect(await storedByDay(weir)).toEqual(expectedByDay(rows));
    const told = await importInto(weir, ["report", results[0]!.id, "--state", state]);
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining("stored      30,000") });
  });

  test("tells which file of its state is damaged, and may then come again", async () => {
    await weir.enterFreshProject();
    const path = writeHistory(folder, "damaged.jsonl", historyOf(500, 10));
    const argv = ["file", path, "--map", writeMapping(folder), "--json"];
    const { id } = reportIn(await importInto(weir, argv));
    for (const name of ["progress.json", "import.json"]) {
      const file = join(weir.dataDir, "imports", id, name);
      writeFileSync(file, readFileSync(file, "utf8").slice(0, 20));
      const { code, error } = await weirOn(weir.dataDir, ["import", "resume", id]);
      expect(code).toBe(1);
      expect(error).toStartWith(`weir: ${file} cannot be read (`);
      expect(error).toContain(": import again");
    }
    expect(reportIn(await importInto(weir, argv))).toMatchObject({ stored: 0, duplicates: 500, isWhole: true });
  });

  test("shows rows with all digits of their numbers before a mapping is chosen", async () => {
    const line = '{"ts":"2024-01-02T03:04:05Z","user":12345678901234567890,"serial":9007199254740993}\n';
    const { code, error } = await weirOn(weir.dataDir, ["import", "inspect", write("digits.jsonl", line)]);
    expect(error).toContain('"distinct_id": "12345678901234567890"');
    expect(error).toContain('"serial": 9007199254740993');
    expect(code).toBe(0);
  });

  test("is undone by its id, and may then come under another mapping", async () => {
    await weir.enterFreshProject();
    const path = writeHistory(folder, "undone.jsonl", historyOf(500, 9));
    const map = writeMapping(folder);
    const { id } = reportIn(await importInto(weir, ["file", path, "--map", map, "--json"]));
    await weir.capture({ event: "live", distinct_id: "user-1" });
    await weir.waitStored();
    const persons = await weir.number("select count() from persons");
    expect(persons).toBeGreaterThan(1);
    // All but the one of the live event.
    expect(await importInto(weir, ["undo", id])).toMatchObject({
      code: 0,
      out: `Import ${id} is undone: its events are deleted. Persons stay (${persons - 1} of them have no events now).\n`,
    });
    expect((await weir.query("select event from events")).results).toEqual([["live"]]);
    expect(await weir.number("select count() from persons")).toBe(persons);
    expect(JSON.parse((await importInto(weir, ["undo", id, "--json"])).out)).toMatchObject({
      ...{ id, state: "undone", persons_left: 0 },
    });
    const resumed = await weirOn(weir.dataDir, ["import", "resume", id]);
    expect(resumed).toMatchObject({ code: 1, error: expect.stringContaining("was undone") });
    const other = writeMapping(folder, { ...MAPPING, event: "=other" });
    const report = reportIn(await importInto(weir, ["file", path, "--map", other, "--json"]));
    expect(report).toMatchObject({ stored: 500, duplicates: 0, isWhole: true });
  });

  test("comes through what is broken", async () => {
    await weir.enterFreshProject();
    const into = mkdtempSync(join(folder, "broken-"));
    const good = (n: number) =>
      JSON.stringify({ event: "ok", distinct_id: `d${n}`, timestamp: "2024-01-01T00:00:00Z" });
    const many = Array.from({ length: 20_000 }, (_, i) => good(i)).join("\n");
    const packed = gzipSync(many);
    writeFileSync(join(into, "cut.jsonl.gz"), packed.subarray(0, packed.length - 100));
    writeFileSync(
      join(into, "deep.jsonl"),
      `${good(1)}\n${good(2).replace("}", `,"properties":{"a":${"[".repeat(300)}${"]".repeat(300)}}}`)}\n${good(3)}`,
    );
    writeFileSync(join(into, "large.jsonl"), good(4).replace("}", `,"properties":{"a":"${"x".repeat(1_200_000)}"}}`));
    writeFileSync(
      join(into, "odd.jsonl"),
      [
        good(5),
        '{"event":"ok","distinct_id":"\\ud800","timestamp":"2024-01-01T00:00:00Z"}',
        '{"event":" ","distinct_id":"a","timestamp":1}',
        '{"event":"a","distinct_id":"a","timestamp":"12024-01-01T00:00:00Z"}',
        '{"event":"a","distinct_id":"a","timestamp":1e300}',
      ].join("\n"),
    );
    writeFileSync(join(into, "wide.jsonl"), Buffer.from(`\ufeff${good(6)}\n`, "utf16le"));
    writeFileSync(join(into, "zip.zip"), "no zip");
    writeFileSync(join(into, "bad.parquet"), "PAR1 no parquet PAR1");
    writeFileSync(join(into, "picture.png"), "not read");
    const report = reportIn(await importInto(weir, ["file", into, "--json"]));
    expect(report).toMatchObject({
      missing: 0,
      isWhole: true,
      rejectedBy: { too_large: 1, refused: 1, no_event: 1, bad_time: 2, unreadable: expect.any(Number) },
    });
    const stored = await weir.number("select count() from events");
    expect(stored).toBe(Number(report.stored));
    expect(stored).toBeGreaterThan(15_000);
  });
});
