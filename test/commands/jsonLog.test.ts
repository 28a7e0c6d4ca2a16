import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { openRecords } from "../../src/roles/paths.ts";
import { freePort } from "../support/processes.ts";
import { weirOn } from "./weirProcess.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-json-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (text: string) => text.trimEnd().split("\n");

test("a process whose log is JSON tells in JSON why it ends; a command is for people", async () => {
  await (await openRecords(loadConfig({ WEIR_DATA_DIR: folder }))).close();
  const env = { WEIR_LOG: "json", NATS_URL: `nats://127.0.0.1:${await freePort()}` };
  const worker = await weirOn(folder, ["worker"], env);
  expect(worker.code).toBe(1);
  const [line] = linesOf(worker.error).map((each) => JSON.parse(each));
  expect(line).toMatchObject({ role: "worker", message: expect.stringContaining("The broker cannot be reached") });
  const start = await weirOn(folder, ["start"], { ...env, WEIR_PORT: "0" });
  expect(start.code).toBe(1);
  const messages = linesOf(start.error).map((each) => JSON.parse(each).message);
  expect(messages).toContainEqual(expect.stringContaining("process ended before it was ready"));
  const command = await weirOn(folder, ["status"], env);
  expect(command.error).toMatch(/^weir: The broker cannot be reached/);
});
