import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/commands/table.ts";
import { runCommand } from "../commands/weirProcess.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const REPO = new URL("../..", import.meta.url).pathname;
const read = (path: string) => readFileSync(join(REPO, path), "utf8");

/** Pages that tell an operator what to type. */
const PAGES = ["README.md", "CONTRIBUTING.md", "docs/operations.md"];

test.each(PAGES)("%s speaks of commands that there are, and of `weir` as a clone has it", (page) => {
  const named = new Set(
    Array.from(read(page).matchAll(/(?:`|^)(?:scripts\/)?weir ([a-z][a-z-]*)/gm), ([, name]) => name!),
  );
  const known = new Set(COMMANDS.map(({ name }) => name));
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
  expect(read(page)).not.toContain("src/main.ts ");
});

test.each(PAGES)("%s speaks of options that the command has", (page) => {
  const usages = new Map(COMMANDS.map(({ name, usage }) => [name, usage]));
  const typed = [...read(page).matchAll(/(?:`|^)(?:scripts\/)?weir ([a-z][a-z-]*)([^`\n]*)/gm)];
  const wrong = typed.flatMap(([, name, rest]) =>
    (rest!.match(/--[a-z][a-z-]*/g) ?? []).filter((o) => o !== "--help" && !usages.get(name!)?.includes(o)),
  );
  expect(wrong).toEqual([]);
});

test.each(PAGES)("%s speaks of scripts that there are", (page) => {
  const named = Array.from(read(page).matchAll(/(?:`|^)(scripts\/[a-z-]+)/gm), ([, script]) => script!);
  expect(named.filter((script) => !existsSync(join(REPO, script)))).toEqual([]);
});

test("every page of docs names settings that there are", () => {
  const readers = ["src/config.ts", "src/commands/kit/key.ts", "test/support/seed.ts", "test/support/manage.ts"];
  const settings = readers.map(read).join("");
  const known = new Set(settings.match(/\b(?:WEIR_[A-Z_]+|NATS_URL|DATABASE_URL)\b/g));
  const pages = [...new Bun.Glob("docs/*.md").scanSync({ cwd: REPO }), ...PAGES];
  const wrong = pages.flatMap((page) =>
    [...(read(page).match(/\bWEIR_[A-Z_]*[A-Z]\b/g) ?? [])].filter((s) => !known.has(s)),
  );
  expect(wrong).toEqual([]);
});

test("docs/dependencies.md gives a reason for every dependency", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const named = Object.keys({ ...dependencies, ...devDependencies });
  expect(named.filter((name) => !read("docs/dependencies.md").includes(`\`${name}\``))).toEqual([]);
});

test("README.md is short enough to be read", () => {
  expect(read("README.md").split("\n").length).toBeLessThan(200);
});

/** What a page asks a reader to type, as one script each: its blocks of shell. */
const blocksOf = (page: string) => Array.from(read(page).matchAll(/```sh\n([\s\S]*?)```/g), ([, block]) => block!);

/** Commands of a page within its text that can be typed as they stand: those that end, without a word to fill in. */
const inlineOf = (page: string) =>
  Array.from(read(page).matchAll(/`(scripts\/weir [^`]+)`/g), ([, typed]) => typed!.replace(/\s+/g, " ")).filter(
    (typed) => !/ [A-Z]|weir (?:start|worker|query|demo)\b/.test(typed),
  );

/** Runs a script as it is printed but for the address and the keys, which are those of the tests' Weir. */
async function type(weir: Weir, script: string): Promise<string> {
  const own = script
    .replaceAll("http://127.0.0.1:8000", weir.url)
    .replaceAll("<project key>", weir.projectKey)
    .replaceAll("<personal key>", weir.personalKey);
  const env = { WEIR_DATA_DIR: weir.dataDir, PATH: `${process.env.PATH}:${join(REPO, ".tools/curl/bin")}` };
  const { out, error, code } = await runCommand(["bash", "-ec", own], { env });
  expect({ script, error: code === 0 ? "" : error, code }).toEqual({ script, error: "", code: 0 });
  return out;
}

test("the commands of README.md and docs/operations.md run as they are written", async () => {
  await using weir = await startWeir();
  const [event, insight] = blocksOf("README.md").filter((block) => block.startsWith("curl"));
  expect(JSON.parse(await type(weir, event!))).toEqual({ status: "Ok" });
  expect(JSON.parse(await type(weir, insight!))).toHaveProperty("results");
  const others = [...blocksOf("docs/operations.md"), ...PAGES.flatMap(inlineOf)];
  expect(others.length).toBeGreaterThan(6);
  for (const script of new Set(others)) await type(weir, script);
});
