import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { liveSegments } from "../../src/lake/mod.ts";
import { type Ended, weirOn } from "../commands/weirProcess.ts";
import { BucketServer } from "../support/bucketServer.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { findPostgres, startPostgres } from "../support/postgres.ts";
import { HANG_MS, processesNaming, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const PERSONS = 64;
/** Not chosen for their looks: all of them must come back. */
const INSIGHT = {
  name: "signups “2028\u2028”",
  query: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-backup-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const batch = (event: string) =>
  Array.from({ length: PERSONS }, (_, i) => ({
    ...{ uuid: crypto.randomUUID(), event, distinct_id: `user-${i}` },
    properties: { $set: { seen: event } },
  }));

function succeeded({ code, out, error }: Ended): never {
  if (code !== 0) throw new Error(`ended with ${code}: ${error}${out}`);
  return (out === "" ? null : JSON.parse(out)) as never;
}

/** Sends until it is stopped; gives how many events were accepted up to each moment. */
function keepSending(weir: Weir): { accepted(): number; stop(): Promise<number> } {
  let over = false;
  let accepted = 0;
  const sent = (async () => {
    for (; !over; await Bun.sleep(20)) {
      await weir.deliver(batch("steady"));
      accepted += PERSONS;
    }
    return accepted;
  })();
  sent.catch(() => {});
  return {
    accepted: () => accepted,
    stop() {
      over = true;
      return sent;
    },
  };
}

/** Begins a job of compaction that never ends; gives its id. */
async function beginJob(weir: Weir): Promise<string> {
  await weir.waitStored();
  await using records = await catalogOf(weir);
  return until("a file that no other job has", HANG_MS, async () => {
    const [file] = await records.db.read((tx) => liveSegments(tx));
    return records.catalog.claimJob({
      ...{ holder: "k", kind: "events", inputs: [file!.id], beside: [], ttlMs: 600_000 },
    });
  });
}

/** As a disaster does: no process is left, and no file. */
async function destroy(weir: Weir): Promise<void> {
  for (const { pid } of processesNaming(weir.dataDir)) process.kill(pid, "SIGKILL");
  await until("all to be dead", HANG_MS, () => processesNaming(weir.dataDir).length === 0);
  rmSync(weir.dataDir, { recursive: true });
}

async function expectAllOnce(weir: Weir, least: number, most: number): Promise<void> {
  await weir.waitStored();
  const events = await weir.number("SELECT count() FROM events WHERE event = 'steady'");
  expect(events).toBeGreaterThanOrEqual(least);
  expect(events).toBeLessThanOrEqual(most);
  expect(await weir.number("SELECT count(DISTINCT uuid) FROM events WHERE event = 'steady'")).toBe(events);
}

async function run(
  place: string,
  databaseUrl: () => Promise<string | null>,
  endpoint: string[],
  env: Record<string, string>,
  /** Where the segments are, and where those of the restored Weir are to be. */
  [from, to]: [Record<string, string>, Record<string, string>] = [{}, {}],
) {
  const first = await databaseUrl();
  const database = (url: string | null): Record<string, string> => (url === null ? {} : { DATABASE_URL: url });
  await using weir = await startWeir({ env: { ...database(first), ...from, WEIR_FLUSH_MS: "100" } });
  const made = await weir.manage("POST", "/api/projects/1/insights/", INSIGHT);
  const { short_id } = made.json as { short_id: string };
  await weir.deliver([{ event: "once", distinct_id: "once", properties: { $set: { seen: "once" } } }]);
  const sending = keepSending(weir);
  await until("some events", HANG_MS, () => sending.accepted() >= 20 * PERSONS);
  const backUp = async (...more: string[]) =>
    succeeded(
      await weirOn(weir.dataDir, ["backup", place, "--json", ...endpoint, ...more], {
        ...env,
        ...from,
        ...database(first),
      }),
    );
  const one: Record<string, number | string> = await backUp();
  expect(one).toMatchObject({ queue: "stored", damaged: [], copiedBytes: one.sizeBytes });
  const least = sending.accepted();
  const two: Record<string, number | string> = await backUp();
  expect(two).toMatchObject({ queue: "stored", damaged: [] });
  expect(two.snapshot).not.toBe(one.snapshot);
  await destroy(weir);
  const atEnd = sending.accepted();

  const second = await databaseUrl();
  const restored = { ...env, ...to, ...database(second) };
  const report = succeeded(await weirOn(weir.dataDir, ["restore", place, "--json", ...endpoint], restored));
  expect(report).toMatchObject({ snapshot: two.snapshot, sizeBytes: two.sizeBytes, rows: two.rows, damaged: [] });
  await weir.start({ ...database(second), ...to, WEIR_FLUSH_MS: "100" });
  // Who sent goes on, with what was not answered first.
  await until("events again", HANG_MS, () => sending.accepted() >= atEnd + 5 * PERSONS);
  const most = await sending.stop();
  // The old keys count, the insight is there, persons are as they were.
  expect((await weir.manage("GET", `/api/projects/1/insights/?short_id=${short_id}`)).json).toMatchObject({
    count: 1,
    results: [{ name: INSIGHT.name }],
  });
  expect(await weir.number("SELECT count() FROM persons WHERE properties.seen = 'once'")).toBe(1);
  await expectAllOnce(weir, least + most - atEnd, most);
  await weir.deliver(batch("after"));
  await weir.waitStored();
  expect(await weir.number("SELECT count() FROM events WHERE event = 'after'")).toBe(PERSONS);
  const verified = await weirOn(weir.dataDir, ["lake", "verify"], restored);
  expect(verified).toEqual({ code: 0, error: "", out: expect.stringContaining(" 0 problems") });
}

describe("everything is destroyed under load, and restored", () => {
  test("from a folder", () => run(join(folder, "place"), async () => null, [], {}), 180_000);

  test("with segments in a bucket, from a folder into another bucket", async () => {
    await using bucket = await BucketServer.start();
    const to = { ...bucket.settings, WEIR_STORE_URL: "s3://lake/restored" };
    await run(join(folder, "place"), async () => null, [], {}, [bucket.settings, to]);
    expect([...bucket.objects.keys()].filter((key) => key.startsWith("restored/")).length).toBeGreaterThan(0);
  });

  test.if(findPostgres() !== null)("from a folder, with PostgreSQL", async () => {
    const server = await startPostgres();
    try {
      await run(join(folder, "place"), () => server.createDatabase(), [], {});
    } finally {
      await server.stop();
    }
  });

  describe("from a bucket", () => {
    const server = new S3rver({
      ...{ port: 0, address: "127.0.0.1", silent: true, directory: mkdtempSync(join(tmpdir(), "weir-backup-s3-")) },
      configureBuckets: [{ name: "weir", configs: [] }],
    });
    let endpoint = "";
    beforeAll(async () => {
      endpoint = `http://127.0.0.1:${(await server.run()).port}`;
    });
    afterAll(() => server.close());

    test("that speaks S3", async () => {
      const env = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER", AWS_REGION: "us-east-1" };
      await run("s3://weir/daily", async () => null, ["--endpoint", endpoint], env);
    });
  });
});

describe("a place", () => {
  test("keeps as many snapshots as were asked for, and no file that none of them needs", async () => {
    await using weir = await startWeir({ env: { WEIR_FLUSH_MS: "100" } });
    const place = join(folder, "place");
    const backUp = async (): Promise<{ snapshot: string; copiedFiles: number; removed: string[] }> => {
      return succeeded(await weirOn(weir.dataDir, ["backup", place, "--keep", "2", "--json"]));
    };
    const taken: string[] = [];
    let job = "";
    for (let i = 0; i < 3; i++) {
      await weir.deliver(batch(`round ${i}`));
      if (i === 2) job = await beginJob(weir);
      taken.push((await backUp()).snapshot);
    }
    const again = await backUp();
    expect(again).toMatchObject({ copiedFiles: 0, removed: [taken[1]] });
    const listed: { snapshot: string }[] = succeeded(await weirOn(weir.dataDir, ["backup", "list", place, "--json"]));
    expect(listed.map(({ snapshot }) => snapshot)).toEqual([taken[2]!, again.snapshot]);
    const needed = new Set(
      [taken[2]!, again.snapshot].flatMap((name) => {
        const manifest = JSON.parse(readFileSync(join(place, "snapshots", name, "manifest.json"), "utf8"));
        return manifest.files.map((file: { name: string }) => file.name);
      }),
    );
    expect(readdirSync(join(place, "files")).sort()).toEqual([...needed].sort() as string[]);

    // An older one can be chosen, and is as it was.
    const other = join(folder, "data");
    const report = succeeded(await weirOn(other, ["restore", place, "--snapshot", taken[2]!, "--json"]));
    expect(report).toMatchObject({ snapshot: taken[2]! });
    // A job of compaction that was under way is none any more, and no file has failed by it.
    using records = new Database(join(other, "weir.db"));
    expect(job).not.toBe("");
    expect(records.query("select count(*) as n from compaction_jobs").get()).toEqual({ n: 0 });
    expect(records.query("select count(*) as n from segments where failures > 0").get()).toEqual({ n: 0 });
  });

  test("that is damaged is not restored, and the restore goes on when it is whole again", async () => {
    await using weir = await startWeir({ env: { WEIR_FLUSH_MS: "100" } });
    await weir.deliver(batch("a"));
    const place = join(folder, "place");
    const first: { snapshot: string } = succeeded(await weirOn(weir.dataDir, ["backup", place, "--json"]));
    const [name] = readdirSync(join(place, "files")).filter((file) => file.endsWith(".parquet"));
    const path = join(place, "files", name!);
    const whole = readFileSync(path);
    truncateSync(path, whole.length - 1);
    const other = join(folder, "data");
    const damaged = await weirOn(other, ["restore", place]);
    expect(damaged.code).toBe(1);
    expect(damaged.error).toContain(`${name} is not what was backed up`);
    const started = await weirOn(other, ["start"]);
    expect(started.code).toBe(1);
    expect(started.error).toContain("holds a restore that was interrupted");
    const doctor = await weirOn(other, ["doctor"]);
    expect({ code: doctor.code, out: doctor.out }).toMatchObject({
      code: 1,
      out: expect.stringContaining("holds a restore that was interrupted"),
    });
    const newer: { snapshot: string } = succeeded(await weirOn(weir.dataDir, ["backup", place, "--json"]));
    const mixed = await weirOn(other, ["restore", place, "--snapshot", newer.snapshot]);
    expect(mixed.error).toContain(
      `${other} (WEIR_DATA_DIR) holds an interrupted restore of snapshot ${first.snapshot}`,
    );
    writeFileSync(path, whole);
    expect(succeeded(await weirOn(other, ["restore", place, "--json"]))).toMatchObject({ snapshot: first.snapshot });
    // As it is after a kill just before the end.
    writeFileSync(join(other, "restore-unfinished"), first.snapshot);
    expect(succeeded(await weirOn(other, ["restore", place, "--json"]))).toMatchObject({ snapshot: first.snapshot });
    expect((await weirOn(other, ["lake", "verify"])).out).toContain("0 problems");

    // A second one finds a Weir there.
    const twice = await weirOn(other, ["restore", place]);
    expect(twice.error).toContain("is not empty");
    const nowhere = await weirOn(join(folder, "more"), ["restore", join(folder, "nowhere")]);
    expect(nowhere.error).toContain("There is no finished backup");
    expect(existsSync(join(folder, "more"))).toBe(false);
  });

  test("is restored by one of several at once, and the others end with a sentence", async () => {
    await using weir = await startWeir({ env: { WEIR_FLUSH_MS: "100" } });
    await weir.deliver(batch("a"));
    const place = join(folder, "place");
    expect((await weirOn(weir.dataDir, ["backup", place])).code).toBe(0);
    const other = join(folder, "data");
    const all = await Promise.all([1, 2, 3].map(() => weirOn(other, ["restore", place])));
    expect(all.filter(({ code }) => code === 0)).toHaveLength(1);
    const told = /^weir: (Another `weir restore` fills|.* is not empty)[^\n]*\n$/;
    for (const { code, error } of all) if (code !== 0) expect(error).toMatch(told);
    expect(readdirSync(other).filter((file) => file.startsWith("restore"))).toEqual([]);
    expect((await weirOn(other, ["lake", "verify"])).out).toContain("0 problems");
  });

  test("takes a backup of a Weir that is stopped, and tells that its queue is not in it", async () => {
    await using weir = await startWeir({ env: { WEIR_FLUSH_MS: "100" } });
    await weir.deliver(batch("a"));
    await weir.waitStored();
    await weir.stop();
    const { code, error } = await weirOn(weir.dataDir, ["backup", join(folder, "place")]);
    expect(code).toBe(0);
    expect(error).toContain("Weir is not running");
  });
});
