import type { Actor, Delivered, Effects, Known } from "../../../actors/contract.ts";
import type { LogRow } from "../../../src/types/mod.ts";
import type { Plant, PlantedViolation } from "../plant.ts";

/** What actors do wrong. */
export const ACTOR_PLANTS: readonly PlantedViolation[] = [
  {
    rule: 10,
    what: "what is known of persons is adopted before the commit",
    plant: { actors: replaced("person", hasty) },
  },
  {
    rule: 17,
    what: "who was merged is not written down",
    plant: { actors: replaced("identity", (actor) => onEffects(actor, (effects) => ({ ...effects, log: [] }))) },
  },
  {
    rule: 18,
    what: "live rows have the time of their event",
    plant: {
      actors: replaced("person", (actor) =>
        onBatch(actor, (at) => ({ ...at, version: { ...at.version, tMs: at.event.timestampMs } })),
      ),
    },
  },
  {
    rule: 18,
    what: "the time of a lane goes back with the broker's clock",
    plant: {
      actors: replaced("person", (actor) =>
        onBatch(actor, (at) =>
          at.lane === "history" ? at : { ...at, version: { ...at.version, tMs: at.storedAtMs } },
        ),
      ),
    },
  },
  {
    rule: 18,
    what: "history overwrites newer values",
    plant: {
      actors: replaced("person", (actor) =>
        onBatch(actor, (at) => ({ ...at, version: { ...at.version, tMs: Math.max(at.version.tMs, at.storedAtMs) } })),
      ),
    },
  },
  {
    rule: 19,
    what: "between rows older than a merge the newer wins",
    plant: {
      actors: replaced("identity", (actor) =>
        onLog(actor, (row) =>
          row.kind === "identity" ? { ...row, moves: row.moves.map((m) => ({ ...m, tMs: 0 })) } : row,
        ),
      ),
    },
  },
  {
    rule: 19,
    what: "a merge of history stands where it was accepted",
    plant: {
      actors: replaced("identity", (actor) =>
        onBatch(actor, (at) => ({
          ...at,
          event: { ...at.event, properties: at.event.properties.replace(',"historical":true', "") },
        })),
      ),
    },
  },
  {
    rule: 20,
    what: "what was unset is not kept",
    plant: {
      actors: replaced("person", (actor) =>
        onEffects(actor, (effects) => {
          return { ...effects, log: effects.log!.filter((row) => row.kind !== "property" || row.op !== "unset") };
        }),
      ),
    },
  },
  {
    rule: 20,
    what: "of first values only the newest is kept",
    plant: { actors: replaced("person", (actor) => onEffects(actor, withoutFirst)) },
  },
  {
    rule: 21,
    what: "who is who depends on what comes in one batch",
    plant: {
      actors: replaced("identity", (actor) => ({
        ...actor,
        step: (batch: readonly Delivered[], known: Known) => actor.step([...batch].reverse(), known),
      })),
    },
  },
  {
    rule: 21,
    what: "who is identified is remembered by the worker alone",
    plant: {
      actors: replaced("identity", (actor) =>
        onKnown(actor, (known) => ({
          ...known,
          identities: known.identities.map((node) => ({ ...node, isIdentified: false })),
        })),
      ),
    },
  },
];

function replaced(name: string, change: (actor: Actor) => Actor): NonNullable<Plant["actors"]> {
  return (actors) => actors.map((actor) => (actor.name === name ? change(actor) : actor));
}

function onEffects(actor: Actor, change: (effects: Effects) => Effects): Actor {
  return { ...actor, step: (batch, known) => change(actor.step(batch, known)) };
}

function onLog(actor: Actor, change: (row: LogRow) => LogRow): Actor {
  return onEffects(actor, (effects) => ({ ...effects, log: effects.log!.map(change) }));
}

function onBatch(actor: Actor, change: (at: Delivered) => Delivered): Actor {
  return { ...actor, step: (batch, known) => actor.step(batch.map(change), known) };
}

function onKnown(actor: Actor, change: (known: Known) => Known): Actor {
  return { ...actor, step: (batch, known) => actor.step(batch, change(known)) };
}

/** Remembers who was seen as soon as it has said so, whatever becomes of the flush. */
function hasty(actor: Actor): Actor {
  const seen = new Set<string>();
  return onEffects(actor, (effects) => ({
    ...effects,
    log: effects.log!.filter((row) => {
      if (row.kind !== "seen" || row.subject.type !== "person") return true;
      const key = `${row.teamId}/${row.subject.distinctId}/${row.atMs}`;
      const isKnown = seen.has(key);
      seen.add(key);
      return !isKnown;
    }),
  }));
}

function withoutFirst(effects: Effects): Effects {
  const newest = new Map<string, LogRow>();
  const keyOf = (row: LogRow) =>
    row.kind === "property" && row.op === "once" ? JSON.stringify([row.teamId, row.subject, row.key]) : null;
  for (const row of effects.log!) {
    const key = keyOf(row);
    if (key !== null) newest.set(key, row);
  }
  const log = effects.log!.filter((row) => {
    const key = keyOf(row);
    return key === null || newest.get(key) === row;
  });
  return { ...effects, log };
}
