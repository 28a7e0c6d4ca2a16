import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Children } from "../../src/roles/supervision/children.ts";
import { HANG_MS, isRunning, until } from "../support/processes.ts";

const SILENT_MS = 4_000;
const CHILDREN = join(import.meta.dir, "../../src/roles/supervision/children.ts");
/** Lives as a role of Weir does; `hang` blocks its event loop for good, `fail` ends before it is ready. */
const CHILD = `
  import { liveAsChild, tellReady } from ${JSON.stringify(CHILDREN)};
  if (process.argv[2] === "fail") process.exit(3);
  liveAsChild(() => process.exit(0));
  tellReady({ port: Object.keys(process.env).filter((name) => name.endsWith("_API_KEY")).length });
  if (process.argv[2] === "hang") setTimeout(() => { for (;;) Bun.sleepSync(1000); }, 100);
`;

let folder: string;
let log: string[];
let children: Children;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-children-"));
  log = [];
  const program = join(folder, "child.ts");
  writeFileSync(program, CHILD);
  children = new Children(join(folder, "run"), (line) => log.push(line), SILENT_MS, [process.execPath, program]);
});
afterEach(async () => {
  await children.stop();
  rmSync(folder, { recursive: true });
});

describe("the supervisor", () => {
  test("leaves a healthy child alone when its own event loop was late", async () => {
    await children.start({ name: "child", args: ["live"] }).ready;
    const pid = children.pidOf("child")!;
    // Twice the time after which a child that says nothing is killed.
    Bun.sleepSync(2 * SILENT_MS);
    await Bun.sleep(SILENT_MS);
    expect(log).toEqual([]);
    expect(children.pidOf("child")).toBe(pid);
    expect(isRunning(pid)).toBe(true);
  });

  test("writes the number of a child's process on a line", async () => {
    await children.start({ name: "child", args: ["live"] }).ready;
    const text = readFileSync(join(folder, "run", "child.pid"), "utf8");
    expect(text).toBe(`${children.pidOf("child")}\n`);
  });

  test("starts a child again and again whose process id cannot be written, as on a full disk", async () => {
    await children.start({ name: "child", args: ["live"] }).ready;
    rmSync(join(folder, "run"), { recursive: true });
    for (let deaths = 0; deaths < 2; deaths++) {
      const pid = children.pidOf("child")!;
      process.kill(pid, "SIGKILL");
      await until("another child", HANG_MS, () => ![null, pid].includes(children.pidOf("child")));
      expect(log.at(-1)).toContain("cannot be written: ENOENT");
    }
  });

  test("kills a child that hangs, and starts it again", async () => {
    await children.start({ name: "child", args: ["hang"] }).ready;
    const pid = children.pidOf("child")!;
    await until("the kill", HANG_MS, () => log.some((line) => line.includes(`(${pid}) hangs`)));
    await until("another child", HANG_MS, () => ![null, pid].includes(children.pidOf("child")));
  });

  test("tells of a child that must start and does not, and does not try again", async () => {
    const { ready } = children.start({ name: "child", args: ["fail"], mustStart: true });
    await expect(ready).rejects.toMatchObject({ code: "child_failed" });
    await Bun.sleep(500);
    expect(children.pidOf("child")).toBeNull();
  });

  test("keeps the first keys out of the environment of its children", async () => {
    const given = { WEIR_PROJECT_API_KEY: "phc_x", WEIR_PERSONAL_API_KEY: "phx_x" };
    const before = { ...process.env };
    Object.assign(process.env, given);
    try {
      const { port: keysSeen } = await children.start({ name: "child", args: ["live"] }).ready;
      expect(keysSeen).toBe(0);
    } finally {
      for (const name of Object.keys(given)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});
