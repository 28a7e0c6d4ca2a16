import { foldLog } from "../fold.ts";
import { findBelowItsMerge, type ModelPerson, type ModelTeam, playModel } from "../model.ts";
import { Violation } from "../observer.ts";
import type { Run } from "./run.ts";
import { same } from "./same.ts";

export function checkPersons(run: Run): void {
  const below = run.universe.faults.of("broker clock set back") > 0 ? null : findBelowItsMerge(run.said);
  if (below !== null) throw new Violation(`${below} stands below its own merge`);
  const isStored = (place: string): boolean => {
    const accepted = run.accepted.get(place);
    if (accepted === undefined) return false;
    const { event, lane, isCorrupt } = accepted;
    if (run.deadLetters.has(place) || isCorrupt) return false;
    return lane === "identity" || run.byUuid.get(event.uuid)?.place === place;
  };
  const model = playModel(run.said, run.sent, isStored);
  for (const teamId of new Set([...model.keys(), ...run.log.map((row) => row.teamId)])) {
    if (!run.isKept({ teamId })) continue;
    const typeOf = (index: number) => run.groupTypes.get(`${teamId}/${index}`) ?? `unknown ${index}`;
    const folded = foldLog(
      run.log.filter((row) => row.teamId === teamId),
      typeOf,
    );
    const unsetKeys = run.log.flatMap((row) => (row.kind === "property" && row.op === "unset" ? row.key : []));
    comparePersons(teamId, model.get(teamId) ?? { persons: [], groups: {} }, folded, new Set(unsetKeys));
  }
}

function comparePersons(teamId: number, should: ModelTeam, is: ModelTeam, unsetKeys: ReadonlySet<string>): void {
  same(`groups of project ${teamId}`, should.groups, is.groups);
  const byIds = (team: ModelTeam) =>
    Object.fromEntries(team.persons.map((p) => [p.ids.join(", "), comparable(p, unsetKeys)]));
  same(`persons of project ${teamId}`, byIds(should), byIds(is));
}

/**
 * What must be equal. `$browser` is one of the keys that change with nearly every event: while it is there its value may be
 * an older one (engine rule 11), and once it has been unset it may be missing, as may its first value.
 */
function comparable(person: ModelPerson, unsetKeys: ReadonlySet<string>): ModelPerson {
  const properties = { ...person.properties };
  if ("$browser" in properties) properties.$browser = "some";
  for (const key of ["$browser", "$initial_browser"]) if (unsetKeys.has(key)) delete properties[key];
  return { ...person, properties };
}
