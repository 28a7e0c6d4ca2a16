import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Glob } from "bun";
import { OTHER_VARIABLES } from "../../scripts/lib/otherVariables.ts";
import { settingsPage } from "../../scripts/lib/settingsTable.ts";
import { settingNames } from "../../src/config.ts";

const REPO = new URL("../..", import.meta.url).pathname;
/** A variable by its name: `env.NAME`, or a name that an import's source keeps apart. */
const READS = [/\benv\.([A-Z]\w+)/g, /^const \w+ = "([A-Z]+(?:_[A-Z]+)+)";$/gm];

/** Names in the first cells of the tables. */
const onPage = new Set(
  [...settingsPage().matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/\w+/g)].map(([name]) => name),
  ),
);

test("the page of settings names every variable that Weir reads, and no other", async () => {
  const others: string[] = [];
  for await (const path of new Glob("src/**/*.ts").scan(REPO)) {
    // Runs in browsers, and builds for them.
    if (path.startsWith("src/web/")) continue;
    const source = readFileSync(REPO + path, "utf8");
    const patterns = path.startsWith("src/import/sources/") ? READS : READS.slice(0, 1);
    others.push(...patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name]) => name!)));
  }
  expect(others).toContain("WEIR_API_KEY");
  expect(others).toContain("MIXPANEL_SECRET");
  expect([...settingNames(), ...others].filter((name) => !onPage.has(name))).toEqual([]);
  const listed = new Set([...settingNames(), ...OTHER_VARIABLES.flatMap(({ names }) => names)]);
  expect([...onPage].filter((name) => !listed.has(name))).toEqual([]);
});

test("a switch tells which of its values does what", () => {
  const config = readFileSync(`${REPO}src/config.ts`, "utf8");
  const switches = [...config.matchAll(/isOn\("(\w+)"/g)].map(([, name]) => name);
  expect(switches.length).toBeGreaterThan(5);
  for (const name of switches) expect(settingsPage()).toMatch(new RegExp(`^\\| \`${name}\` \\| [01] \\| [01]: `, "m"));
});
