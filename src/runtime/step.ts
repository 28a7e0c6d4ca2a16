import type { Actor, ActorWarning, Delivered, Known, KnownPerson, Message, StoredRow } from "../../actors/contract.ts";
import type { Catalog } from "../lake/mod.ts";
import {
  type DropCause,
  describeError,
  type GroupTypes,
  type IdentityNode,
  type LogRow,
  RetryableError,
  stateKey,
} from "../types/mod.ts";

/** What the actors ask of the outside; each answers for this worker's partitions as of its last commit. */
export interface Facts {
  catalog: Pick<Catalog, "ensureGroupTypes" | "readIdentities" | "readStates">;
  persons: { person(teamId: number, distinctId: string): KnownPerson | null };
}

/** What all actors together want to become true. */
export interface Outcome {
  rows: StoredRow[];
  log: LogRow[];
  identities: IdentityNode[];
  /** By actor, then by `stateKey`. */
  states: { actor: string; at: Delivered; state: unknown }[];
  messages: Message[];
  warnings: { warning: ActorWarning; actor: string }[];
  dropped: { at: Delivered; cause: DropCause }[];
  failed: { at: Delivered; detail: string }[];
}

/**
 * Runs the actors over a batch, each on what the one before it passed on. A failure is narrowed down by halves to the
 * events that cause it, which are left out; everything else goes on (guarantee 10 of README.md). Retryable failures pass to the caller.
 */
export async function runActors(actors: readonly Actor[], batch: readonly Delivered[], facts: Facts): Promise<Outcome> {
  const outcome = emptyOutcome();
  let rest = batch;
  while (rest.length > 0) {
    try {
      await runAll(actors, rest, facts, outcome);
      return outcome;
    } catch (error) {
      if (error instanceof RetryableError) throw error;
      const failed = await findFailing(actors, rest, facts, describeError(error));
      Object.assign(outcome, emptyOutcome(), { failed: [...outcome.failed, ...failed] });
      const culprits = new Set(failed.map(({ at }) => at));
      rest = rest.filter((at) => !culprits.has(at));
    }
  }
  return outcome;
}

function emptyOutcome(): Outcome {
  return { rows: [], log: [], identities: [], states: [], messages: [], warnings: [], dropped: [], failed: [] };
}

async function runAll(actors: readonly Actor[], batch: readonly Delivered[], facts: Facts, outcome: Outcome) {
  let passed = batch;
  for (const actor of actors) {
    const [own, others] = split(actor, passed);
    if (own.length === 0) continue;
    const effects = actor.step(own, await gather(actor, own, facts));
    for (const row of effects.rows ?? []) outcome.rows.push(row);
    for (const row of effects.log ?? []) outcome.log.push(row);
    for (const node of effects.identities ?? []) outcome.identities.push(node);
    for (const message of effects.messages ?? []) outcome.messages.push(message);
    for (const warning of effects.warnings ?? []) outcome.warnings.push({ warning, actor: actor.name });
    takeStates(actor, own, effects.states, outcome);
    if (effects.pass === undefined) continue;
    for (const at of missing(own, effects.pass)) {
      outcome.dropped.push({ at, cause: effects.causes?.get(at) ?? "dropped_by_actor" });
    }
    passed = others.length === 0 ? effects.pass : [...effects.pass, ...others];
  }
}

/** What was not passed on. */
function missing(batch: readonly Delivered[], passed: readonly Delivered[]): Delivered[] {
  if (passed.length === batch.length) return [];
  const place = ({ lane, sequence, index }: Delivered) => `${lane} ${sequence} ${index}`;
  const kept = new Set(passed.map(place));
  return batch.filter((at) => !kept.has(place(at)));
}

/** What an actor works on, and what passes it by. */
function split(actor: Actor, batch: readonly Delivered[]): [readonly Delivered[], readonly Delivered[]] {
  const works = ({ lane }: Delivered) => (actor.lanes === undefined ? lane !== "identity" : actor.lanes.includes(lane));
  if (batch.every(works)) return [batch, []];
  return [batch.filter(works), batch.filter((at) => !works(at))];
}

function takeStates(
  actor: Actor,
  batch: readonly Delivered[],
  states: ReadonlyMap<string, unknown> | undefined,
  outcome: Outcome,
): void {
  if (states === undefined || states.size === 0) return;
  const byKey = new Map(batch.map((at) => [stateKey(at.event), at]));
  for (const [key, state] of states) {
    const at = byKey.get(key);
    if (at === undefined) throw new Error(`${actor.name} keeps a state of ${key}, which is not in its batch`);
    outcome.states.push({ actor: actor.name, at, state });
  }
}

/** Finds out what an actor asked for. */
async function gather(actor: Actor, batch: readonly Delivered[], { catalog, persons }: Facts): Promise<Known> {
  const needs = actor.needs?.(batch) ?? {};
  const groupTypes = new Map<number, GroupTypes>();
  for (const [teamId, types] of needs.groupTypes ?? []) {
    groupTypes.set(teamId, await catalog.ensureGroupTypes(teamId, types));
  }
  const identities = needs.identities === undefined ? [] : await catalog.readIdentities(needs.identities);
  const states = new Map<string, unknown>();
  if (actor.keepsState) {
    for (const [teamId, ofTeam] of Map.groupBy(batch, (at) => at.event.teamId)) {
      const ids = [...new Set(ofTeam.map((at) => at.event.distinctId))];
      for (const [distinctId, text] of await catalog.readStates(actor.name, teamId, ids)) {
        states.set(stateKey({ teamId, distinctId }), JSON.parse(text));
      }
    }
  }
  return {
    states,
    groupTypes: (teamId) => groupTypes.get(teamId) ?? new Map(),
    identities,
    person: (teamId, distinctId) => persons.person(teamId, distinctId),
  };
}

/** Halves a batch that fails until single events are left. What fails together but not apart fails at its first event. */
async function findFailing(
  actors: readonly Actor[],
  batch: readonly Delivered[],
  facts: Facts,
  detail: string,
): Promise<Outcome["failed"]> {
  if (batch.length === 1) return [{ at: batch[0]!, detail }];
  const half = batch.length >> 1;
  const failed: Outcome["failed"] = [];
  for (const part of [batch.slice(0, half), batch.slice(half)]) {
    const failure = await failureOf(actors, part, facts);
    if (failure !== null) failed.push(...(await findFailing(actors, part, facts, failure)));
  }
  return failed.length > 0 ? failed : [{ at: batch[0]!, detail }];
}

async function failureOf(actors: readonly Actor[], batch: readonly Delivered[], facts: Facts): Promise<string | null> {
  try {
    await runAll(actors, batch, facts, emptyOutcome());
    return null;
  } catch (error) {
    if (error instanceof RetryableError) throw error;
    return describeError(error);
  }
}
