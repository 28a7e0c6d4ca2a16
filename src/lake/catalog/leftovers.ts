import type { Db, Tx } from "../../store/mod.ts";
import { personIdOf } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import { DATA_TABLES } from "./erasing.ts";
import { nodeRowsOf } from "./identities.ts";

/** Rows of something that was deleted, in a table. */
interface TableLeftover {
  table: string;
  teamId: number;
  rows: number;
}

/** A person that was deleted with its events. */
export interface ErasedPerson {
  teamId: number;
  personId: string;
  requestedAtMs: number;
}

/** Rows of actors' states read at once. */
const PAGE_ROWS = 10_000;

/** Rows of deleted projects that are still in tables, and what was kept of persons before they were deleted. */
export async function leftInTables(db: Db, persons: readonly ErasedPerson[]): Promise<TableLeftover[]> {
  return db.read(async (tx) => {
    const left: TableLeftover[] = [];
    const add = (table: string, rows: { team_id: unknown; n: unknown }[]) => {
      for (const row of rows) left.push({ table, teamId: Number(row.team_id), rows: Number(row.n) });
    };
    for (const table of DATA_TABLES) {
      add(
        table,
        await tx`select team_id, count(*) as n from ${tx(table)}
          where team_id in (select team_id from erasures where kind = 'project') group by team_id`,
      );
    }
    add(
      "cohort_persons",
      await tx`select o.team_id, count(*) as n from cohort_persons p join project_objects o on o.id = p.cohort_id
        where o.team_id in (select team_id from erasures where kind = 'project') group by o.team_id`,
    );
    add(
      "query_cache",
      await tx`select c.team_id, count(*) as n from query_cache c where exists (
        select 1 from erasures e where e.team_id = c.team_id and e.kind <> 'project' and e.version > c.data_version)
        group by c.team_id`,
    );
    for (const [teamId, own] of Map.groupBy(persons, (person) => person.teamId)) {
      const requestedAt = new Map(own.map(({ personId, requestedAtMs }) => [personId, requestedAtMs]));
      const isBefore = (distinctId: string, ms: unknown) =>
        Number(ms) <= (requestedAt.get(personIdOf(teamId, distinctId)) ?? Number.NEGATIVE_INFINITY);
      const warnings: { warning_key: string; first_at_ms: unknown }[] = await tx`
        select warning_key, first_at_ms from ingestion_warnings where team_id = ${teamId}`;
      const letters: { event: string; at_ms: unknown }[] = await tx`
        select event, at_ms from dead_letters where team_id = ${teamId} and event <> ''`;
      const rowsOf = {
        ingestion_warnings: warnings.filter((row) => isBefore(row.warning_key, row.first_at_ms)).length,
        dead_letters: letters.filter((row) => isBefore(JSON.parse(row.event).distinctId, row.at_ms)).length,
      };
      for (const [table, rows] of Object.entries(rowsOf)) if (rows > 0) left.push({ table, teamId, rows });
    }
    return left;
  });
}

/** Rows of tables without times that hold one of these persons' ids, or of a distinct_id; of each person apart. */
export async function rowsOfPersons(
  db: Db,
  persons: readonly ErasedPerson[],
): Promise<(TableLeftover & { personId: string })[]> {
  return db.read(async (tx) => {
    const found: (TableLeftover & { personId: string })[] = [];
    for (const [teamId, own] of Map.groupBy(persons, (person) => person.teamId)) {
      const personIds = new Set(own.map(({ personId }) => personId));
      const add = (table: string, rows: { person_id: string; n: unknown }[]) => {
        for (const row of rows) found.push({ table, teamId, personId: row.person_id, rows: Number(row.n) });
      };
      // By the id of the node: two of these persons may be in one.
      const nodesOf = new Map<string, string>();
      for (const ids of chunks([...personIds])) {
        for (const { person_id, survivor_id } of await nodeRowsOf(tx, teamId, ids)) {
          nodesOf.set(person_id, personIds.has(person_id) ? person_id : survivor_id);
        }
        add(
          "cohort_persons",
          await tx`select person_id, count(*) as n from cohort_persons where person_id in ${tx(ids)} group by person_id`,
        );
      }
      add(
        "identities",
        [...nodesOf.values()].map((person_id) => ({ person_id, n: 1 })),
      );
      add("actor_states", await statesOf(tx, teamId, personIds));
    }
    return found;
  });
}

/** States are kept by distinct_id, from which the id of a person is computed. */
async function statesOf(tx: Tx, teamId: number, personIds: ReadonlySet<string>) {
  const counts = new Map<string, number>();
  let last = { actor: "", distinct_id: "" };
  for (;;) {
    const page: (typeof last)[] = await tx`
      select actor, distinct_id from actor_states
      where team_id = ${teamId} and (actor, distinct_id) > (${last.actor}, ${last.distinct_id})
      order by actor, distinct_id limit ${PAGE_ROWS}`;
    for (const { distinct_id } of page) {
      const personId = personIdOf(teamId, distinct_id);
      if (personIds.has(personId)) counts.set(personId, (counts.get(personId) ?? 0) + 1);
    }
    if (page.length < PAGE_ROWS) return [...counts].map(([person_id, n]) => ({ person_id, n }));
    last = page.at(-1) ?? last;
  }
}
