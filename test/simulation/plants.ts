import type { LiveSegment, OwnedPartitions } from "../../src/lake/mod.ts";
import type { Actor, Delivered, Effects, Known } from "../../src/runtime/mod.ts";
import { type AcceptedEvent, EventFlag, type LogRow } from "../../src/types/mod.ts";
import { type File, SimDuplicates, SimWriter } from "./disk.ts";
import type { Plant } from "./plant.ts";
import { SimReader } from "./reader.ts";

/** Violations of the protocol, by the rule that each breaks. */
export const PLANTS: readonly { rule: number; what: string; plant: Plant }[] = [
  {
    rule: 2,
    what: "a front publishes to streams that are not the known ones",
    plant: { front: { trustsStreams: true } },
  },
  { rule: 3, what: "frame ids come again after a restart of the front", plant: { front: { reusesIds: true } } },
  {
    rule: 4,
    what: "later frames go before one that was not acknowledged",
    plant: { front: { sendsLaterFirst: true } },
  },
  {
    rule: 4,
    what: "a request goes on after one of its frames was given up",
    plant: { front: { goesOnAfterFailure: true } },
  },
  {
    rule: 5,
    what: "what a frame's header says was set aside is not counted",
    plant: onCommit((facts) => ({ ...facts, counts: facts.counts.map((team) => ({ ...team, dropped: {} })) })),
  },
  {
    rule: 5,
    what: "the merge of a stored event is not waited for",
    plant: onCommit((facts) => ({ ...facts, merging: [] })),
  },
  { rule: 6, what: "a merging event does not wait for its copy", plant: { front: { mergesLast: true } } },
  {
    rule: 7,
    what: "taking over does not raise the epoch",
    plant: {
      catalog: (catalog, { store }) => ({
        ...catalog,
        claim: async (request) => {
          const claims = await catalog.claim(request);
          return claims.map((claim) => {
            store.rows("update owners set epoch = 1 where partition_id = ? returning epoch", claim.epoch.partition);
            return { ...claim, epoch: { ...claim.epoch, epoch: 1 } };
          });
        },
      }),
    },
  },
  {
    rule: 8,
    what: "a reader goes on behind a gap",
    plant: {
      reader: (universe, process, o) =>
        new (class extends SimReader {
          protected override isNext(): boolean {
            return true;
          }
        })(universe, process, o),
    },
  },
  { rule: 8, what: "frames are purged before they are settled", plant: { front: { purgesEverything: true } } },
  { rule: 9, what: "a commit does not look at the epochs", plant: onCommit((facts) => ({ ...facts, epochs: [] })) },
  {
    rule: 9,
    what: "a commit of unknown outcome is made again, wherever the positions are",
    plant: {
      catalog: (catalog, { store }) => {
        let made = 0;
        return {
          ...catalog,
          commit: (facts) => {
            const moves = facts.moves.map((move) => {
              const at = store.rows<{ position: number }>(
                "select position from positions where generation = ? and lane = ? and partition_id = ?",
                facts.generation,
                move.lane,
                move.partition,
              )[0]!;
              return { ...move, from: at.position };
            });
            return catalog.commit({ ...facts, id: `${facts.id} ${made++}`, moves });
          },
        };
      },
    },
  },
  {
    rule: 9,
    what: "positions are committed apart from the rows",
    plant: {
      catalog: (catalog, _, process) => ({
        ...catalog,
        commit: async (facts) => {
          await catalog.commit({ ...facts, id: `${facts.id} ${process.name}`, moves: [] });
          return catalog.commit({ ...emptied(facts), moves: facts.moves });
        },
      }),
    },
  },
  {
    rule: 11,
    what: "what is queued of a deleted project is stored",
    plant: {
      catalog: (catalog) => ({
        ...catalog,
        waitingErasures: async () => null,
        commit: (facts) => catalog.commit({ ...facts, erasedThrough: Infinity }),
      }),
    },
  },
  {
    rule: 10,
    what: "seen uuids are adopted before the commit",
    plant: {
      duplicates: (universe, process) => new HastyDuplicates(universe, process),
      writer: (universe, process, duplicates) =>
        new (class extends SimWriter {
          override async writeFlush(...args: Parameters<SimWriter["writeFlush"]>) {
            const written = await super.writeFlush(...args);
            for (const { facts } of written.events) if (facts !== null) duplicates.keep(facts.id);
            return written;
          }
        })(universe, process),
    },
  },
  {
    rule: 10,
    what: "what is known of persons is adopted before the commit",
    plant: { actors: replaced("person", hasty) },
  },
  {
    rule: 10,
    what: "a commit of unknown outcome is taken for done",
    plant: {
      catalog: (catalog) => ({
        ...catalog,
        commit: (facts) =>
          catalog.commit(facts).catch((error: Error) => {
            if (error.name === "CommitRefused") throw error;
            return { version: 0 };
          }),
      }),
    },
  },
  {
    rule: 11,
    what: "a file is called written before it is",
    plant: {
      writer: (universe, process) =>
        new (class extends SimWriter {
          protected override async put(id: string, file: File): Promise<void> {
            this.universe.disk.files.set(id, file);
            void super.put(id, file).catch(() => {});
            await this.universe.scheduler.point(this.process);
          }
        })(universe, process),
    },
  },
  { rule: 11, what: "files are unlinked while they are written", plant: { front: { collectsPending: true } } },
  {
    rule: 12,
    what: "a commit does not raise the versions of its projects",
    plant: {
      catalog: (catalog) => ({
        ...catalog,
        commit: (facts) =>
          catalog.commit({ ...facts, segments: facts.segments.map((segment) => ({ ...segment, teams: [] })) }),
      }),
    },
  },
  {
    rule: 13,
    what: "the store forgets what it has confirmed",
    plant: { storeFault: "forgets what it has confirmed" },
  },
  {
    rule: 14,
    what: "messages are written after the commit",
    plant: {
      catalog: (catalog) => ({
        ...catalog,
        commit: async (facts) => {
          const version = await catalog.commit({ ...facts, messages: [] });
          if (facts.messages.length > 0) {
            await catalog.commit({ ...emptied(facts), id: `${facts.id} messages`, messages: facts.messages });
          }
          return version;
        },
      }),
    },
  },
  {
    rule: 14,
    what: "a message does not wait for the one before it",
    plant: {
      catalog: (catalog, { store, scheduler }, process) => ({
        ...catalog,
        dueMessages: async (partitions) => {
          await scheduler.point(process);
          type Row = {
            id: number;
            message_id: string;
            team_id: number;
            partition_id: number;
            target: string;
            body: string;
          };
          const rows = store.rows<Row>("select * from outbox order by id");
          return rows
            .filter((row) => partitions.includes(row.partition_id))
            .map(({ id, message_id, team_id, partition_id, target, body }) => {
              return { id, messageId: message_id, teamId: team_id, partition: partition_id, target, body, attempts: 0 };
            });
        },
      }),
    },
  },
  {
    rule: 15,
    what: "only what this worker has stored itself is known as stored",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          override async sync(live: readonly LiveSegment[], owned: OwnedPartitions): Promise<void> {
            const own = new Set(this.segments.keys());
            await super.sync(
              live.filter(({ id }) => own.has(id)),
              owned,
            );
          }
        })(universe, process),
    },
  },
  {
    rule: 15,
    what: "a copy on the neighbouring day is not looked for",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          override check(events: readonly AcceptedEvent[]): Promise<Uint8Array> {
            return super.check(events.map((event) => ({ ...event, flags: event.flags & ~EventFlag.ServerTime })));
          }
        })(universe, process),
    },
  },
  {
    rule: 15,
    what: "copies of events about persons are let through",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          override async check(events: readonly AcceptedEvent[]): Promise<Uint8Array> {
            const marks = await super.check(events);
            return marks.map((mark, i) => (events[i]!.event.startsWith("$") ? 0 : mark));
          }
        })(universe, process),
    },
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

/** Whatever was once said to it stays. */
class HastyDuplicates extends SimDuplicates {
  private readonly kept = new Map<string, Set<string>>();

  override keep(id: string): void {
    super.keep(id);
    this.kept.set(id, this.segments.get(id)!);
  }

  override async sync(live: readonly LiveSegment[], owned: OwnedPartitions): Promise<void> {
    await super.sync(live, owned);
    for (const [id, keys] of this.kept) this.segments.set(id, keys);
  }
}

type Facts = Parameters<ReturnType<NonNullable<Plant["catalog"]>>["commit"]>[0];

function onCommit(change: (facts: Facts) => Facts): Plant {
  return { catalog: (catalog) => ({ ...catalog, commit: (facts) => catalog.commit(change(facts)) }) };
}

function emptied(facts: Facts): Facts {
  const nothing = { moves: [], segments: [], identities: [], merging: [], usage: [], states: [], messages: [] };
  return { ...facts, ...nothing, counts: [], deadLetters: [], warnings: [] };
}

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
