import type { Db } from "../../store/mod.ts";
import { arrivalsSince } from "./arrivals.ts";
import { type BegunCommit, beginCommit } from "./begunCommit.ts";
import { readWeirId } from "./clock.ts";
import { collectable, forget } from "./collection.ts";
import { growLayout, readLayout } from "./columns.ts";
import { commit as commitFacts, isCommitted, type NoteDefinitions } from "./commit.ts";
import { commitTimes } from "./commitTimes.ts";
import { noteCompactionFailure } from "./compactionFailures.ts";
import { allSettled, lakeFacts, readUsage, settledCounts, settledTotals } from "./counts.ts";
import { findDeadLetter, markRedriven, readDeadLetters, waitingDeadLetters } from "./deadLetters.ts";
import { dueForBackfill, dueForErasure, dueForSquash, noteErased, noteSquashed, timezonesOf } from "./due.ts";
import { eraseGroup, eraseImport, erasePerson } from "./eraseOrders.ts";
import { finishErasures } from "./erasing.ts";
import { recordedErasures, unfinishedErasures, waitingErasures } from "./erasures.ts";
import { catalogFacts } from "./facts.ts";
import {
  committedPositions,
  currentGeneration,
  drainGeneration,
  openGeneration,
  setPartitions,
} from "./generations.ts";
import { ensureGroupTypes, readGroupTypes } from "./groupTypes.ts";
import { lastMinute, noteHealth } from "./history.ts";
import { readHealth } from "./historyRead.ts";
import { readIdentities } from "./identities.ts";
import { claimJob, endAllJobs, endJob, renewJob, runningJobs } from "./jobs.ts";
import { holdLease, releaseLease } from "./leases.ts";
import { leftInTables, rowsOfPersons } from "./leftovers.ts";
import { delayMessage, dueMessages, removeMessage } from "./outbox.ts";
import { lakeOverview } from "./overview.ts";
import { claim, clearAttempts, handOver, owners, takeInHand } from "./ownership.ts";
import { quarantine, quarantined } from "./quarantine.ts";
import { takeRoster } from "./rosters.ts";
import { abandon, knownSegments, registerPending, replaceSegments, segmentChanges } from "./segments.ts";
import { holdFiles, readSnapshot, renewPin, unpin } from "./snapshot.ts";
import { readStates } from "./states.ts";
import type { Commit } from "./types.ts";
import { noteKeyUses, pinKey, pinnedKeys, unpinKey, wantedColumns } from "./wantedColumns.ts";
import { readWarnings } from "./warnings.ts";

/** Drops the leading `db` argument of catalog functions. */
type Bound<M> = { [K in keyof M]: M[K] extends (db: Db, ...args: infer A) => infer R ? (...args: A) => R : never };

function bound<M extends Record<string, (db: Db, ...args: never[]) => unknown>>(db: Db, methods: M): Bound<M> {
  const entries = Object.entries(methods).map(([name, method]) => [name, method.bind(null, db)]);
  return Object.fromEntries(entries) as Bound<M>;
}

/** Each commit notes the time of the one before it. */
function committing(db: Db, noteDefinitions: NoteDefinitions | null) {
  let lastMs: number | null = null;
  return async (facts: Commit, begun: BegunCommit | null = null) => {
    const beganAtMs = performance.now();
    const committed = await commitFacts(db, facts, begun, { noteDefinitions, lastCommitMs: lastMs });
    lastMs = performance.now() - beganAtMs;
    return committed;
  };
}

/** The lake's catalog over one record store. Each method is documented where it is written. */
export type Catalog = ReturnType<typeof openCatalog>;

/** `noteDefinitions`: needed by what commits flushes. */
export function openCatalog(db: Db, noteDefinitions: NoteDefinitions | null = null) {
  return {
    /** Of the record store. */
    dialect: db.dialect,
    commit: committing(db, noteDefinitions),
    ...bound(db, { beginCommit }),
    ...bound(db, { claim, clearAttempts, handOver, takeInHand, owners }),
    ...bound(db, { currentGeneration, openGeneration, drainGeneration, setPartitions, committedPositions }),
    ...bound(db, { registerPending, abandon, replaceSegments, segmentChanges }),
    ...bound(db, { collectable, forget, knownSegments, holdLease, releaseLease }),
    ...bound(db, { dueForSquash, noteSquashed, dueForErasure, noteErased, dueForBackfill, timezonesOf }),
    ...bound(db, { claimJob, renewJob, endJob, endAllJobs, runningJobs, takeRoster, quarantine, quarantined }),
    ...bound(db, { noteCompactionFailure }),
    ...bound(db, { erasePerson, eraseImport, eraseGroup, waitingErasures, unfinishedErasures, recordedErasures }),
    ...bound(db, { leftInTables, rowsOfPersons }),
    ...bound(db, { readLayout, growLayout }),
    ...bound(db, { noteKeyUses, wantedColumns, pinnedKeys, pinKey, unpinKey }),
    ...bound(db, { readWeirId, readSnapshot, holdFiles, renewPin, unpin, arrivalsSince }),
    ...bound(db, { readGroupTypes, ensureGroupTypes }),
    ...bound(db, { readDeadLetters, waitingDeadLetters, findDeadLetter, markRedriven }),
    ...bound(db, { dueMessages, removeMessage, delayMessage }),
    ...bound(db, { isCommitted, finishErasures, readIdentities, readStates, lakeOverview, catalogFacts, readWarnings }),
    ...bound(db, { allSettled, settledCounts, readUsage, lakeFacts, settledTotals, commitTimes }),
    ...bound(db, { lastMinute, noteHealth, readHealth }),
  };
}
