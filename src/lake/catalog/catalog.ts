import type { Db } from "../../store/mod.ts";
import * as columns from "./columns.ts";
import type { NoteDefinitions } from "./commit.ts";
import * as commits from "./commit.ts";
import * as counts from "./counts.ts";
import * as deadLetters from "./deadLetters.ts";
import * as due from "./due.ts";
import * as erasing from "./erasing.ts";
import * as erasures from "./erasures.ts";
import * as facts from "./facts.ts";
import * as generations from "./generations.ts";
import * as groupTypes from "./groupTypes.ts";
import * as identities from "./identities.ts";
import * as leftovers from "./leftovers.ts";
import * as outbox from "./outbox.ts";
import * as overview from "./overview.ts";
import * as ownership from "./ownership.ts";
import * as quarantines from "./quarantine.ts";
import * as segments from "./segments.ts";
import * as snapshot from "./snapshot.ts";
import * as states from "./states.ts";
import type { Commit } from "./types.ts";
import * as wantedColumns from "./wantedColumns.ts";
import * as warnings from "./warnings.ts";

/** Drops the leading `db` argument of a catalog function. */
type Bound<F> = F extends (db: Db, ...args: infer A) => infer R ? (...args: A) => R : never;

function bind<F extends (db: Db, ...args: never[]) => unknown>(db: Db, method: F): Bound<F> {
  return ((...args: never[]) => method(db, ...args)) as Bound<F>;
}

/** The lake's catalog over one record store. Each method is documented where it is written. */
export type Catalog = ReturnType<typeof openCatalog>;

/** `noteDefinitions`: needed by what commits flushes. */
export function openCatalog(db: Db, noteDefinitions: NoteDefinitions | null = null) {
  return {
    claim: bind(db, ownership.claim),
    clearAttempts: bind(db, ownership.clearAttempts),
    handOver: bind(db, ownership.handOver),
    takeInHand: bind(db, ownership.takeInHand),
    owners: bind(db, ownership.owners),

    currentGeneration: bind(db, generations.currentGeneration),
    openGeneration: bind(db, generations.openGeneration),
    drainGeneration: bind(db, generations.drainGeneration),
    committedPositions: bind(db, generations.committedPositions),

    commit: (facts: Commit) => commits.commit(db, facts, noteDefinitions),
    isCommitted: bind(db, commits.isCommitted),

    registerPending: bind(db, segments.registerPending),
    abandon: bind(db, segments.abandon),
    replaceSegments: bind(db, segments.replaceSegments),
    segmentChanges: bind(db, segments.segmentChanges),
    collectable: bind(db, segments.collectable),
    forget: bind(db, segments.forget),
    knownSegments: bind(db, segments.knownSegments),
    dueForSquash: bind(db, due.dueForSquash),
    noteSquashed: bind(db, due.noteSquashed),
    beginTrying: bind(db, quarantines.beginTrying),
    keepTrying: bind(db, quarantines.keepTrying),
    endTrying: bind(db, quarantines.endTrying),
    quarantine: bind(db, quarantines.quarantine),
    quarantined: bind(db, quarantines.quarantined),
    holdLease: bind(db, segments.holdLease),
    releaseLease: bind(db, segments.releaseLease),

    erasePerson: bind(db, erasures.erasePerson),
    waitingErasures: bind(db, erasures.waitingErasures),
    unfinishedErasures: bind(db, erasures.unfinishedErasures),
    dueForErasure: bind(db, due.dueForErasure),
    noteErased: bind(db, due.noteErased),
    recordedErasures: bind(db, erasures.recordedErasures),
    leftInTables: bind(db, leftovers.leftInTables),
    rowsOfPersons: bind(db, leftovers.rowsOfPersons),
    finishErasures: bind(db, erasing.finishErasures),

    readLayout: bind(db, columns.readLayout),
    growLayout: bind(db, columns.growLayout),
    noteKeyUses: bind(db, wantedColumns.noteKeyUses),
    wantedColumns: bind(db, wantedColumns.wantedColumns),
    pinnedKeys: bind(db, wantedColumns.pinnedKeys),
    pinKey: bind(db, wantedColumns.pinKey),
    unpinKey: bind(db, wantedColumns.unpinKey),
    dueForBackfill: bind(db, due.dueForBackfill),
    timezonesOf: bind(db, due.timezonesOf),

    readSnapshot: bind(db, snapshot.readSnapshot),
    holdFiles: bind(db, snapshot.holdFiles),
    renewPin: bind(db, snapshot.renewPin),
    unpin: bind(db, snapshot.unpin),

    readIdentities: bind(db, identities.readIdentities),
    readStates: bind(db, states.readStates),
    readGroupTypes: bind(db, groupTypes.readGroupTypes),
    ensureGroupTypes: bind(db, groupTypes.ensureGroupTypes),
    readDeadLetters: bind(db, deadLetters.readDeadLetters),
    findDeadLetter: bind(db, deadLetters.findDeadLetter),
    markRedriven: bind(db, deadLetters.markRedriven),
    lakeOverview: bind(db, overview.lakeOverview),
    catalogFacts: bind(db, facts.catalogFacts),

    dueMessages: bind(db, outbox.dueMessages),
    removeMessage: bind(db, outbox.removeMessage),
    delayMessage: bind(db, outbox.delayMessage),

    settledCounts: bind(db, counts.settledCounts),
    readUsage: bind(db, counts.readUsage),
    lakeFacts: bind(db, counts.lakeFacts),
    settledTotals: bind(db, counts.settledTotals),

    readWarnings: bind(db, warnings.readWarnings),
  };
}
