import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, TerminalError } from "../../types/mod.ts";
import { parseExact } from "../exact.ts";
import { OBJECT_KINDS, type ProjectObjects } from "../objects/mod.ts";
import { lineRows } from "../reading/mod.ts";
import { type Manifest, readManifest, type TakeoutFile } from "./manifest.ts";

/** The manifest of a folder with a whole export. Throws TerminalError `takeout_unknown`, `takeout_incomplete`. */
export function openTakeout(folder: string): Manifest {
  const manifest = readManifest(folder);
  if (manifest === null)
    throw new TerminalError("takeout_unknown", `${folder} has no manifest.json of \`weir export\`.`);
  if (manifest.isComplete) return manifest;
  throw new TerminalError(
    "takeout_incomplete",
    `The export in ${folder} was broken off: run \`weir export\` again first.`,
  );
}

/** The files of a model, below the folder. */
export function filesOf({ ranges }: Manifest, model: "events" | "persons"): TakeoutFile[] {
  return ranges.filter((range) => range.model === model).flatMap(({ files }) => files);
}

/** Throws TerminalError `takeout_damaged` that names a file which is missing or has another content than it was written with. */
export async function checkTakeout(folder: string, { ranges, others }: Manifest): Promise<void> {
  for (const { name, sha256 } of [...ranges.flatMap(({ files }) => files), ...others]) {
    const path = join(folder, name);
    const found = existsSync(path) ? await sha256Of(path) : "missing";
    if (found !== sha256) throw new TerminalError("takeout_damaged", `${path} is not as it was exported (${found}).`);
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

async function* groupsIn(folder: string, files: readonly TakeoutFile[]): AsyncGenerator<JsonObject> {
  for (const { name } of files.filter((file) => file.name.startsWith("groups/"))) {
    for await (const rows of lineRows(createReadStream(join(folder, name)))) yield* rows.map((row) => row.value());
  }
}

/** The objects of a folder. */
export function readTakeoutObjects(folder: string, { others }: Manifest): ProjectObjects {
  // Exports of older versions lack some kinds.
  const isListed = (kind: string) => others.some(({ name }) => name === `objects/${kind}.json`);
  const read = <T>(name: string) =>
    parseExact(readFileSync(join(folder, "objects", `${name}.json`), "utf8")) as unknown as T;
  return {
    settings: read("settings"),
    groupTypes: read("group_types"),
    groups: groupsIn(folder, others),
    definitions: { event_definition: read("event_definition"), property_definition: read("property_definition") },
    objects: Object.fromEntries(
      OBJECT_KINDS.map((kind) => [kind, isListed(kind) ? read(kind) : []]),
    ) as ProjectObjects["objects"],
    left: read("left"),
  };
}
