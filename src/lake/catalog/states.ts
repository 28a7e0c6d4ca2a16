import type { Db, Tx } from "../../store/mod.ts";
import { chunks } from "./chunks.ts";
import type { ActorState } from "./types.ts";

/** The states that an actor keeps of these distinct_ids of one project, by distinct_id; ids without one are left out. */
export async function readStates(
  db: Db,
  actor: string,
  teamId: number,
  distinctIds: readonly string[],
): Promise<Map<string, string>> {
  return db.read(async (tx) => {
    const states = new Map<string, string>();
    for (const ids of chunks(distinctIds)) {
      const rows: { distinct_id: string; state: string }[] = await tx`
        select distinct_id, state from actor_states
        where actor = ${actor} and team_id = ${teamId} and distinct_id in ${tx(ids)}`;
      for (const row of rows) states.set(row.distinct_id, row.state);
    }
    return states;
  });
}

/** Within a commit. */
export async function saveStates(tx: Tx, states: readonly ActorState[]): Promise<void> {
  for (const { actor, teamId, distinctId, state } of states) {
    await tx`insert into actor_states (actor, team_id, distinct_id, state)
      values (${actor}, ${teamId}, ${distinctId}, ${state})
      on conflict (actor, team_id, distinct_id) do update set state = excluded.state`;
  }
}

/** Names of all actors that keep a state of anything: by one step in the index for each, as there may be very many states. */
export async function actorsWithStates(tx: Tx): Promise<string[]> {
  const rows: { actor: string }[] = await tx`
    with recursive names(actor) as (
      select min(actor) from actor_states
      union all
      select (select min(s.actor) from actor_states s where s.actor > names.actor) from names where names.actor is not null)
    select actor from names where actor is not null`;
  return rows.map(({ actor }) => actor);
}
