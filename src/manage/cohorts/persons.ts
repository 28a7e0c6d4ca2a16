import {
  addCohortPersons,
  type Change,
  countCohortPersons,
  countListedPersons,
  type ProjectObject,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** Puts persons on the list of a static cohort; gives what has changed. Throws ApiError 400 for more than a project may have. */
export async function addPersons(
  tx: Tx,
  call: EnvironmentCall,
  cohort: ProjectObject<"cohort">,
  personIds: readonly string[],
): Promise<Change[]> {
  const changes = await countChange(tx, cohort, () => addCohortPersons(tx, cohort, personIds));
  const { cohortPersonsMax } = call.deps.config;
  if ((await countListedPersons(tx, cohort.teamId)) > cohortPersonsMax) {
    const detail = `The static cohorts of a project must not hold more than ${cohortPersonsMax} persons together.`;
    throw invalidField(null, "max_length", detail);
  }
  return changes;
}

/** What the activity log tells of a change of the list. */
export async function countChange(
  tx: Tx,
  cohort: ProjectObject<"cohort">,
  change: () => Promise<unknown>,
): Promise<Change[]> {
  const count = async () => (await countCohortPersons(tx, [cohort.id])).get(cohort.id) ?? 0;
  const before = await count();
  await change();
  const after = await count();
  return before === after ? [] : [{ type: "Cohort", action: "changed", field: "count", before, after }];
}
