import { describe, expect, test } from "bun:test";
import { circles, importsOfTheTree, placeOf, roomOf } from "./graph.ts";

/** What each room may import, all of it downwards. The order is the direction: a room imports only from rooms above it in this list. */
const ROOMS: Record<string, readonly string[]> = {
  "src/types": [],
  "src/config.ts": ["src/types"],
  "src/wasm": [],
  "src/properties": ["src/types", "src/wasm"],
  "src/store": ["src/types"],
  "src/openapi": ["src/types"],
  "src/metadata": ["src/store", "src/types"],
  "src/stream": ["src/properties", "src/types"],
  "src/lake": ["src/store", "src/wasm", "src/types"],
  "src/query": ["src/lake", "src/types"],
  actors: ["src/runtime", "src/properties", "src/types"],
  "src/schema.ts": ["src/lake", "src/metadata", "src/store"],
  "src/intake": ["src/config.ts", "src/lake", "src/properties", "src/stream", "src/types"],
  "src/runtime": ["src/lake", "src/properties", "src/stream", "src/types"],
  "src/capture": ["src/config.ts", "src/openapi", "src/properties", "src/stream", "src/types", "src/wasm"],
  "src/manage": [
    "src/capture",
    "src/config.ts",
    "src/lake",
    "src/metadata",
    "src/openapi",
    "src/properties",
    "src/query",
    "src/store",
    "src/stream",
    "src/types",
  ],
};

/** The top, which puts the rooms together: these may import everything below, and each other. */
const TOP = new Set(["src/roles", "src/commands", "src/main.ts"]);

/** Rooms with circles inside them still. */
const STILL_ROUND = new Set(["src/capture", "src/lake", "src/query", "src/stream"]);
/** What is imported past a face still. */
const STILL_DEEP = /^src\/(wasm\/|runtime\/actor\.ts)/;

const imports = await importsOfTheTree();
const crossing = imports.filter(({ from, to }) => roomOf(from) !== roomOf(to));

describe("the rooms of the tree", () => {
  test("are all in the list", () => {
    const known = new Set([...Object.keys(ROOMS), ...TOP]);
    const rooms = new Set(imports.flatMap(({ from, to }) => [roomOf(from), roomOf(to)]));
    expect([...rooms].filter((room) => !known.has(room))).toEqual([]);
  });

  test("import only what they may", () => {
    const wrong = crossing.filter(({ from, to }) => {
      const room = roomOf(from);
      return !TOP.has(room) && !ROOMS[room]?.includes(roomOf(to));
    });
    expect(wrong).toEqual([]);
  });

  test("are imported by their faces", () => {
    const deeper = crossing.filter(({ to }) => roomOf(to) !== to && !/^(src\/\w+|actors)\/mod\.ts$/.test(to));
    expect(deeper.filter(({ from, to }) => !TOP.has(roomOf(from)) && !STILL_DEEP.test(to))).toEqual([]);
  });

  test("have no circles between their folders", () => {
    const edges = imports.map(({ from, to }) => [placeOf(from), placeOf(to)] as const);
    expect(circles(edges).filter(([first]) => !STILL_ROUND.has(roomOf(`${first}/any.ts`)))).toEqual([]);
  });

  test("a circle is found where one is", () => {
    const edges = [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
      ["c", "d"],
    ] as const;
    expect(circles(edges)).toEqual([["a", "b", "c"]]);
  });
});
