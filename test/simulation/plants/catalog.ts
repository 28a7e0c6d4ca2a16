import type { Epoch } from "../../../src/lake/mod.ts";
import type { Plant, PlantedViolation } from "../plant.ts";

/** What the catalog, or a worker that commits to it, does wrong. */
export const CATALOG_PLANTS: readonly PlantedViolation[] = [
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
    rule: 9,
    what: "a commit does not look at the epochs",
    plant: {
      catalog: (catalog, { store }) => ({
        ...catalog,
        commit: (facts) => {
          const now = store.rows<Epoch>("select partition_id as partition, epoch from owners");
          const isOwn = ({ partition }: Epoch) => facts.epochs.some((own) => own.partition === partition);
          return catalog.commit({ ...facts, epochs: now.filter(isOwn) });
        },
      }),
    },
  },
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
];

type Facts = Parameters<ReturnType<NonNullable<Plant["catalog"]>>["commit"]>[0];

function onCommit(change: (facts: Facts) => Facts): Plant {
  return { catalog: (catalog) => ({ ...catalog, commit: (facts) => catalog.commit(change(facts)) }) };
}

function emptied(facts: Facts): Facts {
  const nothing = { moves: [], segments: [], identities: [], merging: [], usage: [], states: [], messages: [] };
  return { ...facts, ...nothing, counts: [], deadLetters: [], warnings: [] };
}
