import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { importsOfTheTree, roomOf } from "./graph.ts";

/** Rooms whose folders import each other by their faces, in one direction. */
const FACED = ["src/lake"];

const imports = await importsOfTheTree();

test.each(FACED)("folders of %s import each other by their faces", (room) => {
  const within = imports.filter(({ from, to }) => roomOf(from) === room && roomOf(to) === room);
  const across = within.filter(({ from, to }) => dirname(from) !== dirname(to));
  expect(across.filter(({ to }) => !to.endsWith("/mod.ts"))).toEqual([]);
});

/** The folder of a file of the commands: `kit`; a file directly in the room has none. */
const folderOf = (file: string): string => file.slice("src/commands/".length).split("/").slice(0, -1).join("/");

test("the commands share their kit, and a folder of a command knows nothing else of the room", () => {
  const within = imports.filter(({ from, to }) => roomOf(from) === "src/commands" && roomOf(to) === "src/commands");
  expect(within.some(({ from, to }) => folderOf(from) === "import" && folderOf(to) === "kit")).toBe(true);
  const wrong = within.filter(({ from, to }) => {
    const [own, other] = [folderOf(from), folderOf(to)];
    return own !== "" && own !== other && (own === "kit" || other !== "kit");
  });
  expect(wrong).toEqual([]);
});
