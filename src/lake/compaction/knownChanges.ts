import type { Erasure, LiveSegment } from "../catalog/mod.ts";
import { movedOf } from "../people/mod.ts";
import { keptRows } from "../reading/mod.ts";
import { type Locator, tableOf } from "../storage/mod.ts";

/** Changes that a job works into its rows: merges of persons, deletions, and numbers of persons. */
export interface KnownChanges {
  /** Live files of the log at `version`. */
  logs: readonly LiveSegment[];
  /** Live rosters at `version`, at most one a project. */
  rosters: readonly LiveSegment[];
  /** Of which rows may be left, up to `version`. */
  erasures: readonly Erasure[];
  /** Of the catalog. */
  version: number;
}

const teamsOf = (files: readonly LiveSegment[]): Set<number> =>
  new Set(files.flatMap(({ teams }) => teams.map(({ teamId }) => teamId)));

/** Those of the files that have rows of a project which the inputs have rows of. */
function ofSameTeams(files: readonly LiveSegment[], inputs: readonly LiveSegment[]): LiveSegment[] {
  const teamIds = teamsOf(inputs);
  return files.filter(({ teams }) => teams.some(({ teamId }) => teamIds.has(teamId)));
}

/** Files that a job reads beside its inputs. */
export function readBeside(inputs: readonly LiveSegment[], { logs, rosters }: KnownChanges): LiveSegment[] {
  const isInput = new Set(inputs.map(({ id }) => id));
  return ofSameTeams([...logs, ...rosters], inputs).filter(({ id }) => !isInput.has(id));
}

/** SQL text: of the persons in these files those that have moved; most jobs are small, most logs are not. */
export function movedIn(store: Locator, inputs: readonly LiveSegment[], known: KnownChanges): string {
  const logs = ofSameTeams(known.logs, inputs);
  if (logs.length === 0)
    return "(select null::bigint as team_id, null::uuid as id, null::uuid as survivor_id where false)";
  const read = (files: readonly LiveSegment[]) => tableOf(store, files);
  const log = keptRows({ kind: "log", files: logs, erasures: known.erasures, read });
  return movedOf(
    { base: null, rest: log, all: log },
    `team_id in (${[...teamsOf(inputs)].join(", ")}) and person_id in (select person_id from ${read(inputs)})`,
  );
}
