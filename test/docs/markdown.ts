import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const REPO = new URL("../..", import.meta.url).pathname;

export const read = (path: string): string => readFileSync(join(REPO, path), "utf8");

/** Files of the repository by a pattern, without those of packages and tools. */
export function files(...patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: REPO, followSymlinks: false }),
  ]);
  // A bench brings packages into a folder of its own.
  return found.filter((path) => !path.includes("node_modules/"));
}

/** All pages. */
export const pages = (): string[] => files("*.md", "docs/**/*.md", "src/**/*.md", "actors/**/*.md", "test/**/*.md");

/** Without code, in which brackets are no links. */
const prose = (page: string): string =>
  read(page)
    .replace(/```[\s\S]*?```/g, "")
    .replace(/`[^`\n]*`/g, (code) => "`".padEnd(code.length, "x"));

/** Where the links of a page lead, outside of this repository excepted. */
export function linksOf(page: string): string[] {
  return Array.from(prose(page).matchAll(/\]\(\s*((?!https?:|mailto:)[^)\s]+)\s*\)/g), ([, link]) => link!);
}

/** The anchors of a page: its headings as GitHub writes them. */
export function anchorsOf(page: string): Set<string> {
  const text = read(page).replace(/```[\s\S]*?```/g, "");
  const seen = new Map<string, number>();
  return new Set(
    Array.from(text.matchAll(/^#{1,6} (.+)$/gm), ([, heading]) => {
      const anchor = heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-");
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** Whether a path of the repository, with or without an anchor, is there. */
export function isThere(target: string): boolean {
  const [path, anchor] = target.split("#") as [string, string | undefined];
  if (!existsSync(join(REPO, path))) return false;
  return anchor === undefined || !path.endsWith(".md") || anchorsOf(path).has(anchor);
}
