import { afterAll, expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../../src/builds.ts";

const NAME = `test-builds-${process.pid}`;
const SOURCES = [
  "README.md",
  "LICENSE",
  "package.json",
  "tsconfig.json",
  "biome.json",
  "bunfig.toml",
  "CONTRIBUTING.md",
];
afterAll(() => rmSync(join(import.meta.dir, "../../.cache", NAME), { recursive: true, force: true }));

const build = (...sources: string[]) =>
  ensureBuilt({
    name: NAME,
    sources,
    last: "main.js",
    async make(folder) {
      writeFileSync(join(folder, "main.js"), "setInterval(() => {}, 1000);");
    },
  });

test("a build stays as long as a process runs it, however many come after", async () => {
  const first = await build("bun.lock");
  const child = Bun.spawn([process.execPath, join(first, "main.js")]);
  for (const source of SOURCES) await build(source);
  expect(existsSync(join(first, "main.js"))).toBe(true);
  child.kill();
  await child.exited;
  await build("README.md", "LICENSE");
  expect(existsSync(first)).toBe(false);
});
