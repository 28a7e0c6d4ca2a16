import type { CommitWarning, DeadLetter, SettledCounts } from "../lake/mod.ts";
import { addDropped, type Frame } from "../stream/mod.ts";
import { describeError, type EventLane, type JsonObject, TerminalError } from "../types/mod.ts";
import type { Delivered } from "./actor.ts";

/** The frames of one flush, decoded, the counts that they settle, and the warnings they bring. */
export class Batch {
  readonly delivered: Delivered[] = [];
  readonly deadLetters: DeadLetter[] = [];
  readonly warnings: CommitWarning[] = [];
  private readonly counts = new Map<number, SettledCounts>();

  /** Takes a frame in. One that cannot be read is set aside whole: its header still says what it held. */
  add(frame: Frame): void {
    for (const team of frame.counts) {
      addDropped(this.countsOf(team.teamId).dropped, team.dropped);
    }
    const { lane, partition, sequence, storedAtMs } = frame;
    for (const warning of frame.warnings) {
      this.warnings.push({ ...warning, key: warningKey(warning.details), source: "capture", atMs: storedAtMs });
    }
    try {
      for (const [index, event] of frame.decode().entries()) {
        this.delivered.push({ event, lane: lane as EventLane, partition, sequence, index, storedAtMs });
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
        const letter = { teamId: team.teamId, lane, partition, sequence, index, event: "" };
        this.deadLetters.push({ ...letter, reason: "corrupt_frame", detail });
      }
    }
  }

  /** Sets one event aside with its reason. */
  setAside(at: Delivered, reason: string, detail: string): void {
    const { event, lane, partition, sequence, index } = at;
    const letter = { teamId: event.teamId, lane, partition, sequence, index, reason, detail };
    this.deadLetters.push({ ...letter, event: JSON.stringify(event) });
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

const WARNING_KEY_MAX_LENGTH = 200;

/** What tells warnings of one type apart: who sent it, else what was sent. */
function warningKey({ distinct_id: distinctId, event }: JsonObject): string {
  const key = distinctId ?? event ?? "";
  return (typeof key === "string" ? key : JSON.stringify(key)).slice(0, WARNING_KEY_MAX_LENGTH).toWellFormed();
}
