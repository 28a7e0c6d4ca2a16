/** `scripts/docs`: writes the pages and files that are made from the source, or tells which of them are old. */
import { readFileSync, writeFileSync } from "node:fs";
import { apiTypes } from "./apiTypes.ts";
import { functionsFile, hogqlPage } from "./functionTables.ts";
import { measurementsPage } from "./measurementTables.ts";
import { settingsPage } from "./settingsTable.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Pages, and the types of the API, by their path in the repository. */
export const PAGES: Record<string, () => string> = {
  "docs/hogql.md": hogqlPage,
  "docs/measurements.md": measurementsPage,
  "docs/settings.md": settingsPage,
  "src/web/app/api/schema.ts": apiTypes,
  "src/web/app/pages/sql/functionList.ts": functionsFile,
};

/** Paths of pages that are not as the source would have them. */
export function oldPages(): string[] {
  return Object.entries(PAGES)
    .filter(([path, page]) => readFileSync(ROOT + path, { encoding: "utf8", flag: "a+" }) !== page())
    .map(([path]) => path);
}

if (import.meta.main && process.argv.includes("--images")) {
  // Only then: it starts a Weir and a browser.
  const { writeImages } = await import("./screenshots.ts");
  await writeImages();
} else if (import.meta.main) {
  const old = oldPages();
  if (process.argv.includes("--check")) {
    for (const path of old) console.error(`${path} is old: scripts/docs writes it`);
    process.exit(old.length === 0 ? 0 : 1);
  }
  for (const path of old) writeFileSync(ROOT + path, PAGES[path]!());
  console.log(old.length === 0 ? "All pages are up to date." : old.map((path) => `wrote ${path}`).join("\n"));
}
