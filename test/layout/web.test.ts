import { describe, expect, test } from "bun:test";
import { circles, importsOfTheTree } from "./graph.ts";

const APP = "src/web/app/";
const DESIGN = new URL("../../src/web/DESIGN.md", import.meta.url);

/** What charts may know: which theme there is, how numbers are written, parts of pages; no API, no questions. */
const CHARTS_KNOW = new Set(["charts", "session", "format", "ui"]);
/** The list of people shows when each came back, which is in retention's answers alone. */
const ACROSS = new Set(["src/web/app/kinds/retention/appearances.tsx"]);

const imports = (await importsOfTheTree()).filter(({ from }) => from.startsWith(APP));

/** The room of a file of the pages: `charts`; a file directly in `app` is a room of its own. */
const roomOf = (file: string): string => file.slice(APP.length).split("/")[0]!;
/** The folder of a file within its room: `parts/board` is of `parts`; a file directly in the room has none. */
const folderOf = (file: string): string | undefined => file.slice(APP.length).split("/").slice(1, -1)[0];

/** The rooms in the order of the table in DESIGN.md: each may import those before it. */
async function roomsByTable(): Promise<string[]> {
  const text = await Bun.file(DESIGN).text();
  return [...text.matchAll(/^\| `app\/(\w+)\/` \|/gm)].map(([, room]) => room!);
}

describe("the rooms of the pages", async () => {
  const rooms = await roomsByTable();

  test("import only rooms above them in the table", () => {
    expect(rooms).toContain("charts");
    const back = imports.filter(({ from, to }) => {
      const [own, other] = [rooms.indexOf(roomOf(from)), rooms.indexOf(roomOf(to))];
      return roomOf(from) !== "main.tsx" && roomOf(from) !== roomOf(to) && (own < 0 || other < 0 || other > own);
    });
    expect(back).toEqual([]);
  });

  test("the charts know numbers and texts alone", () => {
    const beyond = imports.filter(({ from, to }) => roomOf(from) === "charts" && !CHARTS_KNOW.has(roomOf(to)));
    expect(beyond).toEqual([]);
  });

  test.each(["charts", "kinds", "pages"])("folders of %s import what they share, never each other", (room) => {
    const within = imports.filter(({ from, to }) => roomOf(from) === room && roomOf(to) === room && !ACROSS.has(to));
    const isShared = (folder: string | undefined) => folder === undefined || folder === "parts";
    const across = within.filter(({ from, to }) => {
      const [own, other] = [folderOf(from), folderOf(to)];
      return own !== undefined && own !== other && !isShared(other);
    });
    expect(across).toEqual([]);
  });

  test("have no file that imports itself by way of others", () => {
    expect(circles(imports.map(({ from, to }) => [from, to] as const))).toEqual([]);
  });
});
