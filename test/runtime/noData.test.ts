import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { openRecords } from "../../src/runtime/paths.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");

async function weir(dataDir: string, ...argv: string[]) {
  const env = { ...process.env, WEIR_DATA_DIR: dataDir, DATABASE_URL: "" };
  const child = Bun.spawn([process.execPath, MAIN, ...argv], { env, stdout: "pipe", stderr: "pipe" });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, error, code };
}

test("commands that look at a Weir refuse a folder without one, and make nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-none-"));
  try {
    const wrong = join(folder, "wrong");
    const commands = [
      ["lake"],
      ["lake", "verify"],
      ["lake", "verify", "--erased"],
      ["status"],
      ["dead-letters", "list"],
    ];
    for (const argv of [...commands, ["explain", "1", "-"]]) {
      const { out, error, code } = await weir(wrong, ...argv);
      expect({ out, code }).toEqual({ out: "", code: 1 });
      expect(error).toContain(`There is no Weir in ${wrong}`);
    }
    expect(existsSync(wrong)).toBe(false);
    const right = join(folder, "right");
    await (await openRecords(loadConfig({ WEIR_DATA_DIR: right }))).close();
    expect(await weir(right, "lake")).toMatchObject({ out: "The lake is empty.\n", code: 0 });
    expect(readdirSync(folder)).toEqual(["right"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
