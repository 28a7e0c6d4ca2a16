import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

const ROOT = new URL("../..", import.meta.url).pathname;

/** As the formatter writes them; a transpiler would leave out imports of types. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+\.tsx?)"/g;

/** One file importing another, both by their paths in the repository, or a package by its name. */
export interface Import {
  from: string;
  to: string;
}

/** All imports between the files of `src` and `actors`, those of types and dynamic ones included. */
export async function importsOfTheTree(): Promise<Import[]> {
  const files = await importsThat(IMPORT);
  return files.map(({ from, to }) => ({ from, to: normalize(join(dirname(from), to)) }));
}

/** All imports of packages whose names begin so. */
export function importsOfPackages(scope: string): Promise<Import[]> {
  return importsThat(new RegExp(`(?:\\bfrom|\\bimport)\\s*\\(?\\s*"(${scope}[^"]*)"`, "g"));
}

/** What files import, as they write it; `form` has it as its first group. */
async function importsThat(form: RegExp): Promise<Import[]> {
  const imports: Import[] = [];
  for (const folder of ["src", "actors"]) {
    for await (const path of new Glob(`${folder}/**/*.{ts,tsx}`).scan({ cwd: ROOT })) {
      const text = await Bun.file(join(ROOT, path)).text();
      for (const [, to] of text.matchAll(form)) imports.push({ from: path, to: to! });
    }
  }
  return imports;
}

/** The room that a file belongs to: `src/lake` for `src/lake/catalog/commit.ts`; a file directly in `src` is a room of its own. */
export function roomOf(path: string): string {
  const [top, room, ...rest] = path.split("/") as [string, ...string[]];
  if (top !== "src") return top;
  return rest.length === 0 ? path : `src/${room}`;
}

/** What counts as one place where circles are looked for: a folder, and apart from it the face that it shows to others. */
export function placeOf(path: string): string {
  const isFace = path.endsWith("/mod.ts");
  return isFace || roomOf(path) === path ? path : dirname(path);
}

/** Groups of places that import each other, directly or around; each sorted, none where there is no circle. (Tarjan) */
export function circles(edges: readonly (readonly [string, string])[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (from === to) continue;
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (place: string): void => {
    order.set(place, order.size);
    low.set(place, order.get(place)!);
    stack.push(place);
    for (const other of next.get(place) ?? []) {
      if (!order.has(other)) visit(other);
      if (stack.includes(other)) low.set(place, Math.min(low.get(place)!, low.get(other)!));
    }
    if (low.get(place) !== order.get(place)) return;
    const group = stack.splice(stack.indexOf(place));
    if (group.length > 1) found.push(group.sort());
  };
  for (const place of next.keys()) if (!order.has(place)) visit(place);
  return found.sort();
}
