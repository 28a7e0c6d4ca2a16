import { join, resolve } from "node:path";
import { UsageError } from "../../../types/mod.ts";
import { Api } from "../../api/mod.ts";
import { formatOf, isGroupedPersons, mapEvent, PERSONS, stagePersons } from "../../exported/mod.ts";
import { bringObjects } from "../../objects/mod.ts";
import { checkTakeout, filesOf, openTakeout, readTakeoutObjects } from "../../takeout/mod.ts";
import type { Source } from "../../types.ts";

interface WeirOptions {
  folder: string;
  withObjects: boolean;
  overwrites: boolean;
}

/** A folder that `weir export` wrote. */
export const weir: Source<WeirOptions> = {
  name: "weir",
  usage: `weir import weir FOLDER
  A folder of \`weir export\`: settings, definitions, groups, cohorts, actions, insights, dashboards, annotations and alerts (turned
  off), then persons, then events.
  Into an empty project it makes one equal to the one that was exported.
  --no-objects           events and persons only
  --overwrite-objects    insights and the like that are here with other content become those of the folder`,
  options: { "no-objects": "flag", "overwrite-objects": "flag" },
  read(given, words) {
    const [folder, extra] = words;
    if (folder === undefined) throw new UsageError("Name the folder of an export.");
    if (extra !== undefined) throw new UsageError(`Name one folder: "${extra}" is another.`);
    openTakeout(folder);
    return {
      folder,
      withObjects: given["no-objects"] !== true,
      overwrites: given["overwrite-objects"] === true,
    };
  },
  mappingOf: () => "weir 1",
  originOf({ folder }) {
    const { url, project } = openTakeout(folder);
    return `${url}/project/${project} in ${resolve(folder)}`;
  },
  inputs: ({ folder }) => filesOf(openTakeout(folder), "events").map(({ name }) => join(folder, name)),
  async stage({ folder }, to) {
    const manifest = openTakeout(folder);
    await checkTakeout(folder, manifest);
    const persons = filesOf(manifest, "persons").map(({ name }) => join(folder, name));
    if (persons.length > 0) await stagePersons(persons, to);
  },
  async objects({ folder, withObjects, overwrites }, { to, knownPath, signal }) {
    if (!withObjects) return null;
    return bringObjects(readTakeoutObjects(folder, openTakeout(folder)), new Api(to, signal), {
      knownPath,
      overwrite: overwrites,
    });
  },
  stages: [
    PERSONS,
    {
      name: "events",
      formatOf: (file) => (isGroupedPersons(file) ? null : formatOf(file)),
      map: mapEvent,
      asksForFirsts: false,
    },
  ],
};
