import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expectReconciled } from "../e2e/cdnowFigures.ts";
import type { Ledger } from "../e2e/chaos/ledger.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { readRows, type StoredEvent } from "../support/storedRows.ts";
import type { Callers } from "./callers.ts";
import type { Cluster } from "./cluster.ts";

/** How s3rver names the files of objects. */
const OBJECT = /^(.+)\._S3rver_object$/;

/** Events of one round, by their uuids. */
export interface Tally {
  sent: number;
  /** Answered with 200. */
  accepted: number;
  stored: number;
  /** Accepted and not stored. */
  lost: number;
  /** Rows beyond the first of their event. */
  twice: number;
  /** Stored and never sent. */
  foreign: number;
  /** Rows of a distinct_id and a lane before which a later one stands. */
  outOfOrder: number;
  /**
   * Events that were accepted beyond those of all tries: in frames that were sent to the cluster of brokers again before it had acknowledged them,
   * and that it has stored twice (protocol rule 3). They are duplicates to Weir.
   */
  copies: number;
}

/**
 * Compares what was sent, accepted and stored, by the files themselves. Throws where the status of the project does not add up or the
 * queries count otherwise.
 */
export async function reconcile(cluster: Cluster, callers: Callers, ledger: Ledger): Promise<Tally> {
  const status = await callers.waitStored();
  const rows = await storedRows(cluster, callers);
  const stored = new Set(rows.map(({ uuid }) => uuid));
  const tally = {
    sent: ledger.accepted.size + ledger.unanswered.size,
    accepted: ledger.accepted.size,
    stored: stored.size,
    lost: [...ledger.accepted.keys()].filter((uuid) => !stored.has(uuid)).length,
    twice: rows.length - stored.size,
    foreign: [...stored].filter((uuid) => !ledger.accepted.has(uuid) && !ledger.unanswered.has(uuid)).length,
    outOfOrder: outOfOrder(rows),
    copies: Math.max(0, status.accepted - ledger.triedEvents),
  };
  expectReconciled(status);
  const { results } = await callers.query("SELECT count(), count(DISTINCT uuid) FROM events");
  const told = { ...status, queried: results[0]!.map(Number) };
  const wanted = { stored: rows.length, queried: [rows.length, stored.size], dropped: 0, dead_letters: 0 };
  for (const [name, value] of Object.entries(wanted)) {
    const found = JSON.stringify(told[name as keyof typeof told]);
    if (found !== JSON.stringify(value))
      throw new Error(`${name} is ${found}, and by the files ${JSON.stringify(value)}`);
  }
  const missing = ledger.answeredEvents - status.accepted;
  if (missing > 0) {
    const which = `${status.accepted} accepted by the status, ${missing} more were answered with 200`;
    throw new Error(`${which}: ${JSON.stringify(tally)}`);
  }
  return tally;
}

function outOfOrder(rows: readonly StoredEvent[]): number {
  let found = 0;
  for (const ofId of Map.groupBy(rows, ({ lane, distinctId }) => `${lane} ${distinctId}`).values()) {
    let highest = Number.NEGATIVE_INFINITY;
    for (const { serial } of ofId) {
      if (serial < highest) found++;
      highest = Math.max(highest, serial);
    }
  }
  return found;
}

/** By the order of acceptance within a lane. */
async function storedRows(cluster: Cluster, callers: Callers): Promise<StoredEvent[]> {
  await using records = await catalogOf(callers);
  const folder = mkdtempSync(join(cluster.parts.folder, "objects-"));
  const objects = () => {
    const { objects: from } = cluster.parts.bucket;
    for (const name of existsSync(from) ? readdirSync(from) : []) {
      const [, file] = OBJECT.exec(name) ?? [];
      if (file !== undefined) linkIfThere(join(from, name), join(folder, file));
    }
    return folder;
  };
  try {
    return await readRows(records.catalog, objects, callers.environmentId);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is held stays; other files, which nobody reads, may go while they are linked. */
function linkIfThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
