import type { ActorWarning, Delivered } from "../../actors/contract.ts";
import type { CommitWarning, DeadLetter, SettledCounts } from "../lake/mod.ts";
import { addDropped, type Frame } from "../stream/mod.ts";
import { type DropCause, describeError, TerminalError, warningKey } from "../types/mod.ts";
import { type LaneClock, versionOf } from "./laneClock.ts";

/** The frames of one flush, decoded, the counts that they settle, and the warnings they bring. */
export class Batch {
  readonly delivered: Delivered[] = [];
  deadLetters: DeadLetter[] = [];
  warnings: CommitWarning[] = [];
  private readonly counts = new Map<number, SettledCounts>();

  /** Takes a frame in. One that cannot be read is set aside whole: its header still says what it held. */
  add(frame: Frame, clock: LaneClock): void {
    const { lane, partition, sequence, storedAtMs } = frame;
    if (lane !== "identity") {
      for (const team of frame.counts) addDropped(this.countsOf(team.teamId).dropped, team.dropped);
    }
    for (const warning of frame.warnings) {
      this.warnings.push({ ...warning, key: warningKey(warning.details), source: "capture", atMs: storedAtMs });
    }
    try {
      for (const [index, event] of frame.decode().entries()) {
        const version = versionOf({ event, lane, sequence, index, storedAtMs }, clock);
        this.delivered.push({ event, lane, partition, sequence, index, storedAtMs, version });
      }
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      this.setFrameAside(frame, describeError(error));
    }
  }

  private setFrameAside(frame: Frame, detail: string): void {
    const { lane, partition, sequence } = frame;
    let index = 0;
    for (const team of frame.counts) {
      for (let i = 0; i < team.events; i++, index++) {
        const letter = { teamId: team.teamId, lane, partition, sequence, index, event: "", distinctId: null };
        this.deadLetters.push({ ...letter, reason: "corrupt_frame", detail });
      }
    }
  }

  /** Sets one event aside with its reason. */
  setAside(at: Delivered, reason: string, detail: string): void {
    const { event, lane, partition, sequence, index } = at;
    const { teamId, distinctId } = event;
    const letter = { teamId, distinctId, lane, partition, sequence, index, reason, detail };
    this.deadLetters.push({ ...letter, event: JSON.stringify(event) });
  }

  /** Counts one event that goes no further. */
  drop(at: Delivered, cause: DropCause): void {
    addDropped(this.countsOf(at.event.teamId).dropped, { [cause]: 1 });
  }

  /** Keeps nothing of deleted projects but counts. */
  forgetProjects(isErased: (teamId: number) => boolean): void {
    for (const { teamId, lane } of this.deadLetters) {
      if (isErased(teamId) && lane !== "identity") addDropped(this.countsOf(teamId).dropped, { deleted: 1 });
    }
    this.deadLetters = this.deadLetters.filter(({ teamId }) => !isErased(teamId));
    this.warnings = this.warnings.filter(({ teamId }) => !isErased(teamId));
  }

  warn({ at, type, details, isOnce }: ActorWarning, source: string): void {
    const { event, storedAtMs: atMs } = at;
    const full = { event: event.event, distinct_id: event.distinctId, uuid: event.uuid, ...details };
    const warning = { teamId: event.teamId, type, details: full, key: warningKey(full), source, atMs };
    this.warnings.push(isOnce === true ? { ...warning, onceUuid: event.uuid } : warning);
  }

  countsOf(teamId: number): SettledCounts {
    let counts = this.counts.get(teamId);
    if (counts === undefined) {
      counts = { teamId, stored: 0, duplicates: 0, dropped: {} };
      this.counts.set(teamId, counts);
    }
    return counts;
  }

  settledCounts(): SettledCounts[] {
    return [...this.counts.values()];
  }
}
