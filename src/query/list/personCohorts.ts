import { TerminalError } from "../../types/mod.ts";
import { compare, constant, field, orderBy } from "../hogql/syntax/build.ts";
import type { QueryContext } from "../source/context.ts";
import { listingTree, runListing } from "./listing.ts";

/**
 * Those of some cohorts that a person is in now. One that cannot be calculated has nobody. Errors: those of `Lake.query` but
 * `invalid_query`.
 */
export async function cohortsOfPerson(
  personId: string,
  cohortIds: readonly number[],
  context: QueryContext,
): Promise<number[]> {
  const found: number[] = [];
  // One after the other: a project has no more turns at the lake than for others.
  for (const id of cohortIds) if (await isIn(personId, id, context)) found.push(id);
  return found;
}

async function isIn(personId: string, cohortId: number, context: QueryContext): Promise<boolean> {
  const id = field("id");
  const tree = listingTree({
    table: "persons",
    select: [id],
    where: [compare(id, "==", constant(personId)), compare(id, "in cohort", constant(cohortId))],
    orders: [orderBy(id)],
    limit: 1,
    offset: 0,
  });
  try {
    return (await runListing(tree, context)).results.length > 0;
  } catch (error) {
    if (error instanceof TerminalError && error.code.startsWith("invalid_")) return false;
    throw error;
  }
}
