import { join } from "node:path";
import type { LakeExporter } from "../../lake/mod.ts";
import {
  addExportLog,
  type BatchExport,
  type BatchExportRun,
  endRun,
  findEnvironment,
  type LogLevel,
  lookAtRun,
  noteRun,
  type RunProgress,
  type RunStatus,
  readBatchExport,
  releaseRun,
  renewRun,
} from "../../metadata/mod.ts";
import type { SecretBox } from "../../outgoing/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import { checkConfig, destinationOf } from "../destinations/mod.ts";
import type { DestinationEnv, Model, OpenDestination } from "../model.ts";
import type { Settling } from "./settling.ts";
import { type SourceNeeds, sourceOf } from "./source.ts";

export interface RunParts {
  db: Db;
  exporter: Pick<LakeExporter, "write">;
  settling: Pick<Settling, "waitsFor">;
  secrets: Pick<SecretBox, "open">;
  needs: SourceNeeds;
  env: Omit<DestinationEnv, "log">;
  /** Where files lie until they are handed over. */
  scratch: string;
  now(): number;
  log(message: string): void;
}

/** Of a claim; it is renewed while a run is in hand. */
export const LEASE_MS = 30_000;
const RENEW_MS = 5_000;
/** How often a run that is cancelled, or whose claim is lost, finds that out. */
const LOOK_MS = 500;
const NOTE_MS = 2_000;
/** A run that has to wait is let go after this, so that others have their turn. */
const WAIT_HERE_MS = 1_000;
const WAIT_LOOK_MS = 100;
const WAIT_AGAIN_MS = 1_000;
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

class Cancelled extends TerminalError {
  constructor() {
    super("export_cancelled", "The run was cancelled.");
  }
}

/** Another exporter has the run, or it has ended: nothing may be written of it any more. */
class ClaimLost extends RetryableError {
  constructor() {
    super("claim_lost", "another exporter has the run");
  }
}

/** Performs one run that was claimed, up to its end or until it is let go. Throws nothing but errors of the record store. */
export async function performRun(run: BatchExportRun, parts: RunParts, stopping: AbortSignal): Promise<void> {
  const task = new Task(run, parts, stopping);
  try {
    await task.perform();
  } catch (error) {
    await task.fail(error).catch((failure) => {
      if (!(failure instanceof ClaimLost)) throw failure;
    });
  } finally {
    task.close();
  }
}

class Task {
  private readonly over = new AbortController();
  private readonly signal: AbortSignal;
  private readonly renewal: Timer;
  private records = 0;
  private bytes = 0;
  private files = 0;
  private notedAtMs = 0;
  private renewedAtMs = performance.now();

  constructor(
    private readonly run: BatchExportRun,
    private readonly parts: RunParts,
    private readonly stopping: AbortSignal,
  ) {
    this.signal = AbortSignal.any([this.over.signal, stopping]);
    this.renewal = setInterval(() => void this.look().catch(() => {}), LOOK_MS);
  }

  close(): void {
    clearInterval(this.renewal);
  }

  async perform(): Promise<void> {
    const { run, parts } = this;
    if (run.cancelAsked) throw new Cancelled();
    const item = await this.findExport();
    if (item === null) throw new Cancelled();
    if (!(await this.isSettled())) return;
    await this.note({ status: "Running", recordsCompleted: 0, bytes: 0 });
    await this.say("info", `Exporting ${item.model} ${this.intervalText()} to ${item.destination.type}.`);
    const source = await sourceOf(item, run, parts.needs);
    const destination = await this.openDestination(item);
    try {
      if (source !== null) {
        await parts.exporter.write(
          {
            teamId: item.teamId,
            source,
            form: destination.format,
            folder: join(parts.scratch, `${run.id}-${run.epoch}`),
            signal: this.signal,
          },
          (part) => this.hand(part, destination),
        );
      }
      await destination.finish(this.files, this.signal);
    } finally {
      await destination.close();
    }
    await this.end("Completed", { recordsTotal: this.records, latestError: null });
    await this.say("info", `Exported ${this.records} rows in ${this.files} files, ${this.bytes} bytes.`);
  }

  async fail(error: unknown): Promise<void> {
    // Of an exporter that is stopped another one takes the run.
    const cause = this.over.signal.aborted ? this.over.signal.reason : error;
    if (cause instanceof ClaimLost) return;
    if (this.stopping.aborted) {
      await this.release({}, 0);
      return;
    }
    if (cause instanceof Cancelled) {
      await this.end("Cancelled", {});
      await this.say("info", cause.message);
      return;
    }
    const { log } = this.parts;
    const attempts = this.run.attempts + 1;
    const latestError = describeError(cause);
    log(`run ${this.run.id}: ${latestError}`);
    if (cause instanceof TerminalError || attempts >= MAX_ATTEMPTS) {
      await this.end(cause instanceof TerminalError ? "Failed" : "FailedRetryable", { latestError, attempts });
      await this.say("error", latestError);
      return;
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (attempts - 1));
    await this.say("warn", `${latestError} Trying again in ${pauseMs / 1000} s (${attempts} of ${MAX_ATTEMPTS}).`);
    await this.release({ status: "Starting", latestError, attempts }, pauseMs);
  }

  /** The export, unless it was deleted, or its environment. */
  private async findExport(): Promise<BatchExport | null> {
    const { run, parts } = this;
    return parts.db.read(async (tx) => {
      const item = await readBatchExport(tx, run.exportId);
      if (item === null || item.deleted || (await findEnvironment(tx, item.teamId)) === null) return null;
      return item;
    });
  }

  /** Waits a while until all events of the interval are stored; lets the run go where that takes longer. */
  private async isSettled(): Promise<boolean> {
    const { run } = this;
    const giveUpAtMs = performance.now() + WAIT_HERE_MS;
    for (;;) {
      const reason = await this.waitsFor();
      if (reason === null) return true;
      this.signal.throwIfAborted();
      if (performance.now() >= giveUpAtMs) {
        // The first claim of a run says so, later ones do not.
        if (run.epoch === 1) await this.say("info", reason);
        await this.release({}, WAIT_AGAIN_MS);
        return false;
      }
      await Bun.sleep(WAIT_LOOK_MS);
    }
  }

  /** As `Settling.waitsFor`. What cannot be found out now, as while the broker is away, is waited for, too: no try is lost by it. */
  private async waitsFor(): Promise<string | null> {
    const { run, parts } = this;
    try {
      return await parts.settling.waitsFor(run.teamId, run.toMs);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      return `Waiting until it can be known which events are still queued: ${describeError(error)}`;
    }
  }

  private async openDestination(item: BatchExport): Promise<OpenDestination> {
    const { type, config, secrets } = item.destination;
    const { parts, run } = this;
    const kind = await destinationOf(type);
    if (kind === null) throw new TerminalError("invalid_config", `There is no destination "${type}".`);
    const whole = checkConfig(kind, { ...config, ...parts.secrets.open(secrets, item.id) });
    const range = {
      exportId: item.id,
      teamId: item.teamId,
      model: item.model as Model,
      fromMs: run.fromMs,
      toMs: run.toMs,
    };
    const log = (level: LogLevel, message: string) =>
      void this.say(level, message).catch((error) => parts.log(describeError(error)));
    return kind.open(whole, range, { ...parts.env, log });
  }

  private async hand(
    part: { path: string; bytes: number; records: number },
    destination: OpenDestination,
  ): Promise<void> {
    this.signal.throwIfAborted();
    this.bytes += await destination.put({ ...part, number: this.files }, this.signal);
    this.files++;
    this.records += part.records;
    const nowMs = performance.now();
    if (nowMs - this.notedAtMs < NOTE_MS) return;
    this.notedAtMs = nowMs;
    await this.note({ recordsCompleted: this.records, bytes: this.bytes });
  }

  private async look(): Promise<void> {
    const { db, now } = this.parts;
    const state = await db.read((tx) => lookAtRun(tx, this.run));
    if (state === "lost") this.over.abort(new ClaimLost());
    if (state === "cancelled") this.over.abort(new Cancelled());
    if (performance.now() - this.renewedAtMs < RENEW_MS) return;
    this.renewedAtMs = performance.now();
    await db.write((tx) => renewRun(tx, this.run, { nowMs: now(), ttlMs: LEASE_MS }));
  }

  private async note(progress: RunProgress): Promise<void> {
    const { db, now } = this.parts;
    if (!(await db.write((tx) => noteRun(tx, this.run, progress, now())))) throw new ClaimLost();
  }

  private async release(progress: RunProgress, pauseMs: number): Promise<void> {
    const { db, now } = this.parts;
    const nowMs = now();
    await db.write((tx) => releaseRun(tx, this.run, progress, { nowMs, dueAtMs: nowMs + pauseMs }));
  }

  private async end(status: RunStatus, progress: RunProgress): Promise<void> {
    const { db, now } = this.parts;
    const counts = { recordsCompleted: this.records, bytes: this.bytes, parts: this.files };
    if (!(await db.write((tx) => endRun(tx, this.run, { ...counts, ...progress, status }, now()))))
      throw new ClaimLost();
  }

  private async say(level: LogLevel, message: string): Promise<void> {
    const { db, now } = this.parts;
    const { exportId, id: runId, teamId } = this.run;
    await db.write((tx) => addExportLog(tx, teamId, { exportId, runId, level, message, atMs: now() }));
  }

  private intervalText(): string {
    const { fromMs, toMs } = this.run;
    const to = `accepted before ${new Date(toMs).toISOString()}`;
    return fromMs === null
      ? to
      : `accepted from ${new Date(fromMs).toISOString()} on and ${to.slice("accepted ".length)}`;
  }
}
