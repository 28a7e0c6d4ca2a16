import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HANG_MS, processesNaming, until } from "../support/processes.ts";
import { STOP_MS, startWeir, type Weir } from "../support/weir.ts";

const START = new URL("../../scripts/start", import.meta.url).pathname;

/** The curl commands in a text, as a reader would copy them. */
function curlLines(text: string): string[] {
  return [...text.matchAll(/^\s*(curl (?:.*\\\n)*.*)$/gm)].map((match) => match[1]!);
}

/** Where `scripts/setup --tests` puts curl on a machine that has none. */
const OWN_CURL = new URL("../../.tools/curl/bin", import.meta.url).pathname;

async function sh(command: string): Promise<string> {
  const env = { ...process.env, PATH: `${process.env.PATH}:${OWN_CURL}` };
  const child = Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "inherit", stdin: "ignore", env });
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return output;
}

/** The process that leads the group of a Weir that `setsid` has started. */
const groupOf = ({ dataDir }: Weir): number => Number(readFileSync(join(dataDir, "run", "main.pid"), "utf8"));

describe("scripts/start", () => {
  test("prints keys and two curl lines that work, and a second start finds the data and prints no new key", async () => {
    // From another folder, as a user might.
    await using weir = await startWeir({ command: [START], cwd: tmpdir(), givenKeys: false });
    const projectKey = weir.output.match(/\bphc_\w+/)?.[0];
    const personalKey = weir.output.match(/\bphx_\w+/)?.[0];
    expect(projectKey).toBeDefined();
    expect(personalKey).toBeDefined();
    expect(weir.output).toContain(weir.url);
    const [send, ask] = curlLines(weir.output);

    expect(await sh(send!)).toContain("status");
    await until("the first event in the insight", HANG_MS, async () => {
      const answer = JSON.parse(await sh(ask!)) as { results: { count: number }[] };
      return answer.results[0]!.count === 1;
    });

    await weir.stop("SIGINT");
    await weir.start();
    weir.personalKey = personalKey!;
    expect(weir.output).toContain(projectKey!);
    expect(weir.output).not.toMatch(/\bphx_\w+/);
    expect(await weir.number("SELECT count() FROM events")).toBe(1);
  });

  test("stops all of it on one signal, in time and with exit code 0", async () => {
    await using weir = await startWeir();
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      await weir.deliver([{ event: "e", distinct_id: signal }]);
      const { exitCode, tookMs } = await weir.stop(signal);
      expect(exitCode).toBe(0);
      expect(tookMs).toBeLessThan(STOP_MS);
      expect(processesNaming(weir.dataDir)).toEqual([]);
      await weir.start();
    }
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events")).toBe(2);
  });

  const ENDS = { "Ctrl-C": "SIGINT", "the end of a terminal": "SIGHUP" } as const;
  test.each(Object.entries(ENDS))("stops cleanly when %s reaches every process of the group", async (_, signal) => {
    // `setsid` makes a group of its own, as a terminal does.
    await using weir = await startWeir({ command: ["setsid", "--wait", process.execPath, "src/main.ts", "start"] });
    await weir.deliver([{ event: "e", distinct_id: "x" }]);
    process.kill(-groupOf(weir), signal);
    await until("everything to end", STOP_MS, () => processesNaming(weir.dataDir).length === 0);
    expect(weir.output).toMatch(/stopping/);
    // None ends before its turn: then it would be started again.
    expect(weir.output).not.toMatch(/ended/);
    await weir.start();
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events")).toBe(1);
  });

  test("goes on without its terminal when nohup has started it", async () => {
    await using weir = await startWeir({
      command: ["nohup", "setsid", "--wait", process.execPath, "src/main.ts", "start"],
    });
    process.kill(-groupOf(weir), "SIGHUP");
    await weir.deliver([{ event: "e", distinct_id: "x" }]);
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events")).toBe(1);
    expect(weir.output).not.toMatch(/stopping|ended/);
  });

  test("refuses a folder that another Weir works on, and leaves that one alone", async () => {
    await using weir = await startWeir();
    const second = Bun.spawnSync([process.execPath, "src/main.ts", "start"], {
      env: { ...process.env, WEIR_DATA_DIR: weir.dataDir, WEIR_PORT: "0" },
      cwd: new URL("../..", import.meta.url).pathname,
    });
    expect(second.exitCode).not.toBe(0);
    expect(second.stderr.toString()).toContain("already running");
    expect(await weir.status("/_readiness")).toBe(200);
    expect((await weir.batch([{ event: "e", distinct_id: "x" }])).status).toBe(200);
  });

  test("ends on a signal while it waits for a broker that does not answer", async () => {
    // It takes the connection and says nothing.
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const dataDir = mkdtempSync(join(tmpdir(), "weir-silent-"));
    const env = {
      WEIR_DATA_DIR: dataDir,
      WEIR_PORT: "0",
      NATS_URL: `nats://127.0.0.1:${silent.port},nats://127.0.0.1:1`,
    };
    const child = Bun.spawn([process.execPath, "src/main.ts", "start"], {
      cwd: new URL("../..", import.meta.url).pathname,
      env: { ...process.env, ...env },
      stdout: "ignore",
      stderr: "ignore",
    });
    try {
      await until("its front to begin", HANG_MS, () => existsSync(join(dataDir, "run", "front.pid")));
      child.kill("SIGTERM");
      expect(await Promise.race([child.exited, Bun.sleep(STOP_MS).then(() => "still there")])).toBe(0);
      expect(processesNaming(dataDir)).toEqual([]);
    } finally {
      child.kill("SIGKILL");
      silent.stop(true);
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test("says which setting is wrong", () => {
    const run = Bun.spawnSync([START], { env: { ...process.env, WEIR_PORT: "eighty" } });
    expect(run.exitCode).not.toBe(0);
    expect(run.stderr.toString()).toContain("WEIR_PORT");
  });
});
