import { rm } from "node:fs/promises";
import {
  type BatchExportRun,
  claimRun,
  forgetExportLogs,
  forgetFiles,
  hasDueRun,
  oldDownloads,
} from "../../metadata/mod.ts";
import { DAY_MS, repeat } from "../../types/mod.ts";
import { downloadFolder } from "../destinations/mod.ts";
import { makeRuns } from "../schedule/schedule.ts";
import { LEASE_MS, performRun, type RunParts } from "./perform.ts";
import type { Settling } from "./settling.ts";

interface LoopParts extends RunParts {
  settling: Pick<Settling, "waitsFor" | "rest">;
  /** Names this exporter. */
  holder: string;
  /** The files of a download are removed so long after its end. */
  keepDownloadsMs: number;
}

const LOOK_MS = 250;
const SCHEDULE_MS = 1_000;
const TIDY_MS = 600_000;
const KEEP_LOGS_MS = 90 * DAY_MS;

/** Makes the runs that are due, and performs one after the other. */
export class ExportLoop {
  private scheduledAtMs = Number.NEGATIVE_INFINITY;
  private tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: LoopParts) {}

  /** The function that is given ends it, and lets go of the run in hand. */
  start(): () => Promise<void> {
    return repeat((signal) => this.step(signal), this.parts.log, LOOK_MS);
  }

  private async step(signal: AbortSignal): Promise<boolean> {
    const { parts } = this;
    await this.every("scheduledAtMs", SCHEDULE_MS, () => makeRuns(parts.db, parts.now()));
    await this.every("tidiedAtMs", TIDY_MS, () => this.tidy());
    const run = await this.claim();
    if (run === null) {
      parts.settling.rest();
      return false;
    }
    await performRun(run, parts, signal);
    return true;
  }

  /** Null where nothing is due, which takes no turn at writing. */
  private async claim(): Promise<BatchExportRun | null> {
    const { db, holder, now } = this.parts;
    if (!(await db.read((tx) => hasDueRun(tx, now())))) return null;
    return db.write((tx) => claimRun(tx, { holder, nowMs: now(), ttlMs: LEASE_MS }));
  }

  private async every(at: "scheduledAtMs" | "tidiedAtMs", everyMs: number, body: () => Promise<void>): Promise<void> {
    if (performance.now() - this[at] < everyMs) return;
    this[at] = performance.now();
    await body();
  }

  /** Removes what is old. */
  private async tidy(): Promise<void> {
    const { db, env, keepDownloadsMs, now } = this.parts;
    for (const { id, exportId } of await db.read((tx) => oldDownloads(tx, now() - keepDownloadsMs))) {
      await rm(downloadFolder(env.folder, exportId), { recursive: true, force: true });
      await db.write((tx) => forgetFiles(tx, id));
    }
    await db.write((tx) => forgetExportLogs(tx, now() - KEEP_LOGS_MS));
  }
}
