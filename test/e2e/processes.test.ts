import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slowReader } from "../hostile/attacks.ts";
import { MAIN } from "../support/main.ts";
import { freePort, HANG_MS, isRunning, until } from "../support/processes.ts";
import { EXPORTING, startWeir } from "../support/weir.ts";

const REPO = new URL("../..", import.meta.url).pathname;
const MiB = 2 ** 20;

/** Starts a Weir that is to fail, and waits for its end. */
function failedStart(env: Record<string, string>) {
  const run = Bun.spawnSync([process.execPath, "src/main.ts", "start"], { cwd: REPO, env: { ...process.env, ...env } });
  return { exitCode: run.exitCode, printed: run.stderr.toString() + run.stdout.toString() };
}

/** A folder's files and folders, with their modes. */
function modesIn(folder: string): { path: string; mode: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path, mode: statSync(path).mode & 0o777 };
  });
}

describe("the front and the api process", () => {
  test("a dead api process costs no event, and comes back", async () => {
    await using weir = await startWeir();
    const api = weir.pidOf("api");
    const front = weir.pidOf("front");
    // Stopped, not killed: its socket is there and nothing answers on it.
    process.kill(api, "SIGSTOP");
    const asked = weir.api("/ingestion_status/");
    for (let i = 0; i < 20; i++) expect((await weir.batch([{ event: "e", distinct_id: `${i}` }])).status).toBe(200);
    expect(await weir.status("/_readiness")).toBe(200);
    weir.kill9("api");
    const refused = await asked;
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ type: "server_error", code: "api_unavailable" });
    expect((await weir.batch([{ event: "e", distinct_id: "20" }])).status).toBe(200);
    await until("the api process to be replaced", HANG_MS, () => weir.isReplaced("api", api));
    await until("an answer", HANG_MS, async () => (await weir.status("/api/projects/")) === 401);
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events")).toBe(21);
    expect(weir.pidOf("front")).toBe(front);
  });

  test("commands go on asking the first front while a second one comes and goes", async () => {
    await using weir = await startWeir();
    const told = () => readFileSync(join(weir.dataDir, "run", "front-url"), "utf8");
    expect(told()).toBe(weir.url);
    const port = await freePort();
    const env = { ...process.env, WEIR_DATA_DIR: weir.dataDir, WEIR_PORT: String(port) };
    const second = Bun.spawn([process.execPath, MAIN, "front"], { env, stdout: "ignore", stderr: "ignore" });
    await until("the second front", HANG_MS, () =>
      fetch(`http://127.0.0.1:${port}/_readiness`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    second.kill("SIGTERM");
    await second.exited;
    expect(told()).toBe(weir.url);
  });

  test("an answer may be silent for longer than half a minute", async () => {
    await using weir = await startWeir({ env: { WEIR_QUERY_TIMEOUT_MS: "36000", WEIR_QUERY_PROCESSES: "1" } });
    const query = { kind: "HogQLQuery", query: "select count() from events" };
    const { json } = await weir.manage("POST", "/api/projects/1/insights/", { query });
    // It calculates nothing, and is not missed before the question has had its time.
    process.kill(weir.pidOf("query-0"), "SIGSTOP");
    const answer = await weir.manage(
      "GET",
      `/api/projects/1/insights/${(json as { id: number }).id}/?refresh=force_blocking`,
    );
    // Whichever fault of the query it tells of, or that it has waited for another: the api process answers, not the front in its place.
    expect((answer.json as { code?: string }).code).toMatch(/^query_|^throttled$/);
  });

  test("bodies pass between them in both directions as they are, and without being held", async () => {
    await using weir = await startWeir({ env: { WEIR_QUERY_MAX_RESULT_BYTES: String(64 * MiB) } });
    const text = "é".repeat(1_000_000);
    const settings = { extra_settings: { note: text } };
    const { status, json } = await weir.manage("PATCH", "/api/projects/1/environments/1/", settings);
    expect(status).toBe(200);
    expect((json as typeof settings).extra_settings.note === text).toBe(true);

    const rows = 20_000;
    const query = { kind: "HogQLQuery", query: `select number, repeat('x', 1000) from numbers(${rows}) limit ${rows}` };
    const ask = async () => (await (await weir.api("/query/", { body: { query } })).json()) as { results: unknown[] };
    expect((await ask()).results).toHaveLength(rows);
    const before = residentBytes(weir.pidOf("front"));
    const readers = await Promise.all(
      Array.from({ length: 12 }, () => slowReader(weir, "/api/environments/1/query/", { query })),
    );
    // 20 MB each, of which nobody reads more than the head.
    await Bun.sleep(2_000);
    expect(residentBytes(weir.pidOf("front")) - before).toBeLessThan(100 * MiB);
    for (const reader of readers) reader.destroy();
    expect((await ask()).results).toHaveLength(rows);
  });

  test("one address cannot have more requests on their way than it may", async () => {
    await using weir = await startWeir({ env: { WEIR_ADDRESS_MAX_UPLOADS: "3" } });
    const api = weir.pidOf("api");
    process.kill(api, "SIGSTOP");
    try {
      const waiting = Array.from({ length: 3 }, () => weir.api("/ingestion_status/"));
      await until("a refusal", HANG_MS, async () => {
        const asked = fetch(`${weir.url}/api/projects/`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
        const refused = (await asked) ?? null;
        return refused?.status === 503 && ((await refused.json()) as { code: string }).code === "too_many_from_address";
      });
      process.kill(api, "SIGCONT");
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await weir.api("/ingestion_status/")).status).toBe(200);
    } finally {
      process.kill(api, "SIGCONT");
    }
  });

  test("a client's own words about its address are not passed on as the front's", async () => {
    await using weir = await startWeir();
    const response = await fetch(`${weir.url}/api/projects/`, {
      headers: { authorization: `Bearer ${weir.personalKey}`, "x-weir-client": "6.6.6.6", upgrade: "websocket" },
    });
    expect(response.status).toBe(200);
  });
});

describe("a start", () => {
  test("is refused by a sentence where another Weir has the port, which goes on undisturbed", async () => {
    await using weir = await startWeir();
    const dataDir = mkdtempSync(join(tmpdir(), "weir-second-"));
    try {
      const { exitCode, printed } = failedStart({ WEIR_DATA_DIR: dataDir, WEIR_PORT: new URL(weir.url).port });
      expect(exitCode).toBe(1);
      expect(printed.trim()).toMatch(/^weir: port \d+ of 127\.0\.0\.1 is taken .*WEIR_PORT/);
      // Nothing was made that a later start would not show.
      expect(printed).not.toMatch(/ph[cx]_/);
      expect(readdirSync(dataDir)).toEqual(["run"]);
      for (let i = 0; i < 20; i++) expect((await weir.batch([{ event: "e", distinct_id: `${i}` }])).status).toBe(200);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  test("is refused where something else has the port; once that is gone, the same folder starts and shows its keys", async () => {
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    await using weir = await startWeir({ givenKeys: false, env: { WEIR_PORT: String(port) } });
    expect(weir.output).toMatch(/phx_\w{40,}/);
    const dataDir = mkdtempSync(join(tmpdir(), "weir-taken-"));
    try {
      const { exitCode, printed } = failedStart({ WEIR_DATA_DIR: dataDir, WEIR_PORT: String(port) });
      expect(exitCode).toBe(1);
      expect(printed).toContain(`port ${port} of 127.0.0.1 is taken`);
      expect(printed).not.toContain("    at ");
    } finally {
      other.close();
      rmSync(dataDir, { recursive: true });
    }
  });

  test("that fails after the first keys were made shows them, since no later start will", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-broken-"));
    const port = String(await freePort());
    try {
      const failed = failedStart({ WEIR_DATA_DIR: dataDir, WEIR_PORT: port, WEIR_NATS_SERVER: "/bin/false" });
      expect(failed.exitCode).toBe(1);
      expect(failed.printed).toMatch(/phx_\w{40,}/);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  test("keeps what it writes to its own user, and the first keys out of its children's environment", async () => {
    await using weir = await startWeir({ env: EXPORTING });
    await weir.deliver([{ event: "e", distinct_id: "x" }]);
    await weir.waitStored();
    expect(statSync(weir.dataDir).mode & 0o777).toBe(0o700);
    expect(modesIn(weir.dataDir).filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
    for (const role of ["front", "api", "worker-0", "compactor", "exporter-0", "query-0", "nats-server"] as const) {
      const environment = readFileSync(`/proc/${weir.pidOf(role)}/environ`, "latin1");
      expect(environment).not.toContain(weir.personalKey);
      expect(environment).not.toContain(weir.projectKey);
    }
  });

  test("after a kill -9 of the supervisor takes the same port again, and ends what is left, also what hangs", async () => {
    await using weir = await startWeir();
    await weir.deliver([{ event: "e", distinct_id: "x" }]);
    const left = (["front", "api", "worker-0", "compactor"] as const).map((role) => weir.pidOf(role));
    process.kill(weir.pidOf("worker-0"), "SIGSTOP");
    const main = weir.kill9("main");
    await until("the supervisor to die", HANG_MS, () => !isRunning(main), 5);
    await weir.start();
    expect(left.filter(isRunning)).toEqual([]);
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events")).toBe(1);
  });
});

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
}
