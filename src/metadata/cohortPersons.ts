import { changed, type Stored, type Tx } from "../store/mod.ts";
import { only } from "../types/mod.ts";
import { raiseRecordVersion } from "./recordVersions.ts";

/** More values in one statement would meet the limit of SQLite. */
const ROWS_AT_ONCE = 10_000;

interface StaticCohort {
  id: number;
  teamId: number;
}

/** Puts persons on the list of a static cohort; gives how many were not on it. */
export async function addCohortPersons(tx: Tx, cohort: StaticCohort, personIds: readonly string[]): Promise<number> {
  let added = 0;
  for (let i = 0; i < personIds.length; i += ROWS_AT_ONCE) {
    const rows = personIds.slice(i, i + ROWS_AT_ONCE).map((id) => ({ cohort_id: cohort.id, person_id: id }));
    added += changed(await tx`insert into cohort_persons ${tx(rows)} on conflict do nothing`);
  }
  if (added > 0) await raiseRecordVersion(tx, cohort.teamId);
  return added;
}

/** Takes a person from the list; false when it was not on it. */
export async function removeCohortPerson(tx: Tx, cohort: StaticCohort, personId: string): Promise<boolean> {
  const gone = await tx`delete from cohort_persons where cohort_id = ${cohort.id} and person_id = ${personId}`;
  if (changed(gone) === 0) return false;
  await raiseRecordVersion(tx, cohort.teamId);
  return true;
}

/** How many persons the lists have, by cohort; one without any is not in the map. */
export async function countCohortPersons(tx: Tx, cohortIds: readonly number[]): Promise<Map<number, number>> {
  if (cohortIds.length === 0) return new Map();
  const rows: { cohort_id: Stored; n: Stored }[] = await tx`
    select cohort_id, count(*) as n from cohort_persons where cohort_id in ${tx([...cohortIds])} group by cohort_id`;
  return new Map(rows.map((row) => [Number(row.cohort_id), Number(row.n)]));
}

/** How many all lists of a project that are in use have together. */
export async function countListedPersons(tx: Tx, teamId: number): Promise<number> {
  const rows: { n: Stored }[] = await tx`
    select count(*) as n from cohort_persons p join project_objects o on o.id = p.cohort_id
    where o.team_id = ${teamId} and o.deleted = 0`;
  return Number(only(rows).n);
}

/** The lists of static cohorts. */
export async function readCohortPersons(tx: Tx, cohortIds: readonly number[]): Promise<Map<number, string[]>> {
  const lists = new Map<number, string[]>(cohortIds.map((id) => [id, []]));
  if (cohortIds.length === 0) return lists;
  const rows: { cohort_id: Stored; person_id: string }[] = await tx`
    select cohort_id, person_id from cohort_persons where cohort_id in ${tx([...cohortIds])} order by person_id`;
  for (const row of rows) lists.get(Number(row.cohort_id))!.push(row.person_id);
  return lists;
}
