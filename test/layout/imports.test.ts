import { describe, expect, test } from "bun:test";
import { circles, importsOfPackages, importsOfTheTree, placeOf, roomOf } from "./graph.ts";

/** The rooms that each room may import; they are earlier in this list. */
const ROOMS: Record<string, readonly string[]> = {
  "src/types": [],
  "src/scripts.ts": [],
  "src/builds.ts": [],
  "src/memoryParts.ts": ["src/types"],
  "src/settingReaders.ts": ["src/types"],
  "src/config.ts": ["src/memoryParts.ts", "src/settingReaders.ts", "src/types"],
  "src/json": ["src/types"],
  "src/persons": ["src/json", "src/types"],
  "src/store": ["src/types"],
  "src/openapi": ["src/types"],
  "src/metadata": ["src/store", "src/types"],
  "src/stream": ["src/types"],
  "src/walk": [],
  "src/bucket": ["src/types"],
  "src/lake": ["src/bucket", "src/json", "src/scripts.ts", "src/store", "src/types", "src/walk"],
  "src/query": ["src/lake", "src/scripts.ts", "src/types", "src/walk"],
  actors: ["src/json", "src/persons", "src/types"],
  "src/schema.ts": ["src/lake", "src/metadata", "src/store", "src/types"],
  "src/health": ["src/lake", "src/stream", "src/types"],
  "src/intake": ["src/config.ts", "src/health", "src/lake", "src/json", "src/persons", "src/stream", "src/types"],
  "src/runtime": ["actors", "src/json", "src/lake", "src/persons", "src/stream", "src/types"],
  "src/capture": [
    "src/config.ts",
    "src/json",
    "src/openapi",
    "src/persons",
    "src/scripts.ts",
    "src/stream",
    "src/types",
  ],
  "src/outgoing": ["src/types"],
  "src/alerts": ["src/metadata", "src/outgoing", "src/store", "src/types"],
  "src/export": [
    "src/bucket",
    "src/config.ts",
    "src/json",
    "src/lake",
    "src/metadata",
    "src/outgoing",
    "src/query",
    "src/store",
    "src/stream",
    "src/types",
  ],
  "src/manage": [
    "src/alerts",
    "src/capture",
    "src/config.ts",
    "src/export",
    "src/lake",
    "src/metadata",
    "src/json",
    "src/openapi",
    "src/outgoing",
    "src/persons",
    "src/query",
    "src/store",
    "src/stream",
    "src/types",
  ],
  "src/backup": ["src/bucket", "src/lake", "src/store", "src/stream", "src/types"],
  "src/publish": ["src/backup", "src/lake", "src/types"],
  "src/import": ["src/bucket", "src/capture", "src/json", "src/lake", "src/persons", "src/types"],
  "src/web": ["src/builds.ts", "src/types"],
};

/** The top, which puts the rooms together: these may import everything below, and each other. */
const TOP = new Set(["src/roles", "src/commands", "src/main.ts", "src/build.ts"]);

/** Types alone, facts alone or rules alone: importing them loads nothing else of the room behind them. */
const SECOND_FACES = new Set(["actors/contract.ts", "src/capture/operations.ts", "src/capture/trial.ts"]);

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
    const isFace = (file: string) =>
      file === roomOf(file) || file === `${roomOf(file)}/mod.ts` || SECOND_FACES.has(file);
    const deeper = crossing.filter(({ from, to }) => !isFace(to) && !TOP.has(roomOf(from)));
    expect(deeper).toEqual([]);
  });

  test.each([
    ["@nats-io/", "src/stream"],
    ["@duckdb/", "src/lake"],
  ])("%s is imported in %s alone", async (scope, room) => {
    expect(new Set((await importsOfPackages(scope)).map(({ from }) => roomOf(from)))).toEqual(new Set([room]));
  });

  test("have no circles between their folders", () => {
    const edges = imports.map(({ from, to }) => [placeOf(from), placeOf(to)] as const);
    expect(circles(edges)).toEqual([]);
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
