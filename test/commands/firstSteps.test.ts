import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HANG_MS, isRunning, processesNaming, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { REPO, runCommand, WEIR, weirOn } from "./weirProcess.ts";

/** Where `scripts/setup --tests` puts curl on a machine that has none. */
const OWN_CURL = join(REPO, ".tools/curl/bin");

/** The commands that a start has printed, each below its title. */
function printedCommands(output: string): Map<string, string> {
  return new Map(Array.from(output.matchAll(/^(\S.*):\n\n {2}(\S.*)$/gm), ([, title, command]) => [title!, command!]));
}

/** Runs them in one shell, as a reader who copies one after the other; gives what each has printed. */
async function runAll(commands: readonly string[], cwd: string): Promise<string[]> {
  const script = ["set -e", ...commands.flatMap((command) => [command, "echo; echo ======"])].join("\n");
  const { out, error, code } = await runCommand(["bash", "-c", script], {
    cwd,
    env: { PATH: `${process.env.PATH}:${OWN_CURL}` },
  });
  expect({ error: code === 0 ? "" : error, code }).toEqual({ error: "", code: 0 });
  return out.split("======\n").map((text) => text.trim());
}

const addressFile = (weir: Weir) => join(weir.dataDir, "run", "front-url");

test("what a start prints works as it is printed, at the first start and later", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "weir it's first "));
  try {
    await using weir = await startWeir({ command: [WEIR, "start"], cwd, givenKeys: false });
    await until("the whole text", HANG_MS, () => weir.output.includes("Ctrl-C"));
    const first = printedCommands(weir.output);
    expect([...first.keys()]).toEqual([
      "Send an event",
      "Ask for an insight",
      "List the newest events",
      "Make a project with months of events to look at",
      "Make another personal key",
    ]);
    const [sent, asked, listed, demo, key] = await runAll([...first.values()], cwd);
    expect(JSON.parse(sent!)).toEqual({ status: "Ok" });
    expect(JSON.parse(asked!)).toHaveProperty("results");
    expect(JSON.parse(listed!)).toHaveProperty("results");
    expect(demo).toMatch(/^Project 2 .* has \d+ events/);
    expect(key).toMatch(/^phx_\w+$/);
    const swagger = /^(http\S+\/swagger) describes the API/m.exec(weir.output)![1]!;
    expect((await fetch(swagger)).status).toBe(200);
    const help = /`(.* --help)`/.exec(weir.output)![1]!;
    expect((await runAll([help], cwd))[0]).toStartWith("usage: weir");

    await weir.stop();
    await weir.start();
    await until("the whole text", HANG_MS, () => weir.output.includes("Ctrl-C"));
    const later = printedCommands(weir.output);
    expect([...later.keys()].sort()).toEqual([...first.keys()].sort());
    const outputs = await runAll([...later.values()], cwd);
    const answers = outputs.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text) as object);
    expect(answers).toHaveLength(3);
    expect(answers.filter((answer) => "results" in answer)).toHaveLength(2);
    expect(outputs.filter((text) => /^Project \d+ .* has \d+ events/.test(text))).toHaveLength(1);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});

test("commands find a running Weir by its data folder, and no other one", async () => {
  await using weir = await startWeir();
  expect(readFileSync(addressFile(weir), "utf8")).toBe(weir.url);
  const small = ["demo", "--people", "5", "--days", "3", "--json"];
  expect(JSON.parse((await weirOn(weir.dataDir, small)).out)).toMatchObject({ id: 2, name: "Lantern (demo)" });

  // A front that is started again says so again; one that is stopped takes its address along.
  const front = weir.kill9("front");
  await until("another front", HANG_MS, () => weir.isReplaced("front", front));
  await until("readiness", HANG_MS, async () => (await weir.status("/_readiness")) === 200);
  expect((await weirOn(weir.dataDir, small)).code).toBe(0);
  await weir.stop();
  expect(existsSync(addressFile(weir))).toBe(false);
  for (const argv of [["status"], small]) {
    const { error, code } = await weirOn(weir.dataDir, argv);
    expect(code).toBe(1);
    expect(error).toContain(`No Weir is running on ${weir.dataDir}`);
  }

  // After a kill -9 of all of it an address is left behind, where nothing answers.
  await weir.start();
  process.kill(weir.pid, "SIGSTOP");
  weir.kill9("front");
  weir.kill9("main");
  await until("the main process to be gone", HANG_MS, () => !isRunning(weir.pid));
  expect(readFileSync(addressFile(weir), "utf8")).toBe(weir.url);
  const gone = await weirOn(weir.dataDir, small);
  expect(gone).toMatchObject({ code: 1, out: "" });
  expect(gone.error).toContain(`There is no Weir ready at ${weir.url}`);

  // Or another Weir does.
  await using other = await startWeir({ givenKeys: false });
  const wrong = await weirOn(weir.dataDir, [...small, "--url", other.url]);
  expect(wrong.code).toBe(1);
  expect(wrong.error).toContain(`The Weir at ${other.url} works on another data folder`);
  expect((await weirOn(weir.dataDir, ["projects", "list", "--json"])).out.match(/Lantern/g)).toHaveLength(2);
  for (const { pid } of processesNaming(weir.dataDir)) process.kill(pid, "SIGKILL");
});

test("GET / says what this is", async () => {
  await using weir = await startWeir();
  const response = await fetch(`${weir.url}/`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/plain");
  const text = await response.text();
  expect(text).toContain("This is Weir");
  for (const path of ["/swagger", "/openapi.json", "/static/loader.js", "/_readiness", "/_liveness", "/metrics"]) {
    expect(text).toContain(path);
    expect(await weir.status(path)).toBe(200);
  }
});
