import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withSettings } from "../../scripts/lib/settingsTable.ts";
import { COMMANDS } from "../../src/commands/table.ts";

const REPO = new URL("../..", import.meta.url).pathname;
const read = (path: string) => readFileSync(join(REPO, path), "utf8");

test("the README's settings are those of src/config.ts (`bun scripts/lib/settingsTable.ts` writes them)", () => {
  expect(read("README.md")).toBe(withSettings(read("README.md"), read("src/config.ts")));
});

test("the README speaks of commands that there are, and of `weir` as a clone has it", () => {
  const named = new Set(
    Array.from(read("README.md").matchAll(/`(?:scripts\/)?weir ([a-z][a-z-]*)/g), ([, name]) => name!),
  );
  const known = new Set(COMMANDS.map(({ name }) => name));
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
  expect(read("README.md")).not.toContain("src/main.ts ");
});

test("every link of the README leads somewhere", () => {
  const links = [...read("README.md").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(REPO, link)))).toEqual([]);
});

test("the README gives a reason for every dependency", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const named = Object.keys({ ...dependencies, ...devDependencies });
  expect(named.filter((name) => !read("README.md").includes(`\`${name}\``))).toEqual([]);
});
