/** Makes the README's table of settings from src/config.ts: `bun scripts/lib/settingsTable.ts` writes it. */
import { readFileSync, writeFileSync } from "node:fs";

const README = new URL("../../README.md", import.meta.url).pathname;
const CONFIG = new URL("../../src/config.ts", import.meta.url).pathname;
const BLOCK = /(<!-- settings -->\n)[\s\S]*?(\n<!-- end of settings -->)/;

/** One row a setting, in the order of the comments; a setting without a default says what its absence means. */
export function settingsTable(config: string): string {
  const defaults = new Map(
    [...config.matchAll(/(?:number|text)\("(\w+)"(?:, ([^,)]+)|\) \?\? "([^"]+)")/g)].map((match) => [
      match[1]!,
      (match[2] ?? match[3] ?? "").replace(" * ", " ").replaceAll("_", ""),
    ]),
  );
  const rows = [...config.matchAll(/\/\*\* ((?:[A-Z]\w+(?: \/ )?)+)(?:=1)?: (.*?)\.? \*\//g)].flatMap((match) =>
    match[1]!.split(" / ").map((name) => `| \`${name}\` | ${defaults.get(name) ?? ""} | ${match[2]} |`),
  );
  return ["| variable | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

/** The README with the table that belongs to the config of this moment. */
export function withSettings(readme: string, config: string): string {
  if (!BLOCK.test(readme)) throw new Error("README.md has no block for the settings");
  return readme.replace(BLOCK, (_, open: string, close: string) => `${open}${settingsTable(config)}${close}`);
}

if (import.meta.main) {
  writeFileSync(README, withSettings(readFileSync(README, "utf8"), readFileSync(CONFIG, "utf8")));
}
