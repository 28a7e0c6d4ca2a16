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
