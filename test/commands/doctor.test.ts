import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { openCatalog } from "../../src/lake/mod.ts";
import { openExistingRecords } from "../../src/roles/paths.ts";
import { openDb } from "../../src/schema.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { weirOn } from "./weirProcess.ts";

interface Finding {
  of: string;
  verdict: "ok" | "odd" | "bad";
  found: string;
  advice: string | null;
}

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_FLUSH_MS: "100" } });
  await weir.deliver([{ event: "seen", distinct_id: "ada", uuid: crypto.randomUUID() }]);
  await weir.waitStored();
});
afterAll(() => weir[Symbol.asyncDispose]());

async function examine(env: Record<string, string> = {}): Promise<{ code: number; of: (name: string) => Finding }> {
  const { out, error, code } = await weirOn(weir.dataDir, ["doctor", "--json"], {
    WEIR_DISK_MIN_FREE_BYTES: "0",
    ...env,
  });
  if (out === "") throw new Error(error);
  const findings: Finding[] = JSON.parse(out);
  return { code, of: (name) => findings.find(({ of }) => of === name)! };
}

test("a Weir that runs is well", async () => {
  const { code, of } = await examine();
  expect(code).toBe(0);
  for (const name of [
    "versions",
    "folder",
    "address",
    "records",
    "files",
    "broker",
    "workers",
    "queue",
    "dead letters",
    "front",
  ]) {
    expect(of(name)).toMatchObject({ verdict: "ok", advice: null });
  }
  const { out } = await weirOn(weir.dataDir, ["doctor"], { WEIR_DISK_MIN_FREE_BYTES: "0" });
  expect(out).toContain("ok    workers");
});

test("what is not as it should be is told, with what to do", async () => {
  chmodSync(weir.dataDir, 0o755);
  const wrong = { WEIR_HOST: "0.0.0.0", WEIR_DISK_MIN_FREE_BYTES: String(2 ** 50), WEIR_MEMORY: String(2 ** 46) };
  const open = await examine(wrong);
  chmodSync(weir.dataDir, 0o700);
  expect(open.code).toBe(1);
  expect(open.of("folder")).toMatchObject({ verdict: "odd", advice: `chmod 700 ${weir.dataDir}` });
  expect(open.of("address").advice).toContain("WEIR_PUBLIC_URL");
  expect(open.of("metrics").advice).toContain("WEIR_METRICS_TOKEN");
  expect(open.of("disk")).toMatchObject({ verdict: "bad" });
  expect(open.of("memory")).toMatchObject({ verdict: "odd", found: expect.stringContaining("The machine has") });
});

test("a failure of compaction is told by the doctor, the status and the metrics", async () => {
  const db = await openDb({ databaseUrl: null, sqlitePath: join(weir.dataDir, "weir.db") });
  try {
    const { noteCompactionFailure } = openCatalog(db);
    for (let i = 0; i < 3; i++) await noteCompactionFailure("squash", "Out of Memory Error: too wide\nin a sort");
  } finally {
    await db.close();
  }
  expect((await examine()).of("compaction")).toMatchObject({
    verdict: "odd",
    found: expect.stringContaining("squash; 3 times so far"),
    advice: expect.stringContaining("docs/runbook.md#compaction-fails"),
  });
  const { out } = await weirOn(weir.dataDir, ["status"]);
  expect(out).toMatch(/^compaction failed 3 times \(squash\), last at \S+Z: Out of Memory Error: too wide$/m);
  const metrics = await (await fetch(`${weir.url}/metrics`)).text();
  expect(metrics).toContain('weir_compaction_failures_total{kind="squash"} 3');
});

test("a store of segments that cannot be written is bad, and the rest is told", async () => {
  const { code, of } = await examine({ WEIR_STORE_URL: "/proc" });
  expect(code).toBe(1);
  expect(of("store")).toMatchObject({ verdict: "bad", found: expect.stringMatching(/^E[A-Z]+: .*\/proc/) });
  expect(of("workers")).toMatchObject({ verdict: "ok" });
});

// Nothing is closed to root, who may work as another one.
test.if(process.getuid?.() === 0)("a folder that is closed to this user is not said to have no Weir", async () => {
  const config = loadConfig({ WEIR_DATA_DIR: weir.dataDir });
  process.seteuid!("nobody");
  try {
    await expect(openExistingRecords(config)).rejects.toMatchObject({
      code: "data_folder",
      message: expect.stringMatching(/EACCES.*Give the command as the user who runs Weir\.$/),
    });
  } finally {
    process.seteuid!(0);
  }
});

test("a Weir that is stopped, a file that is gone, and no Weir at all are bad", async () => {
  await weir.stop();
  const lake = join(weir.dataDir, "lake");
  const [file] = readdirSync(lake).filter((name) => name.endsWith(".parquet"));
  rmSync(join(lake, file!));
  const stopped = await examine();
  expect(stopped.code).toBe(1);
  expect(stopped.of("broker")).toMatchObject({ verdict: "bad" });
  expect(stopped.of("front")).toMatchObject({ verdict: "bad" });
  expect(stopped.of("files").found).toContain(file!);

  const { out, code } = await weirOn(join(weir.dataDir, "nothing"), ["doctor"]);
  expect(code).toBe(1);
  expect(out).toContain("does not exist");
});
