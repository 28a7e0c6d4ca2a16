import type { InstallationStatus } from "../../health/mod.ts";
import { CAREFUL_FROM_ATTEMPTS } from "../../runtime/mod.ts";
import { bad, type Finding, odd, ok } from "./finding.ts";

/** A failure of compaction is told for so long. */
const RECENT_MS = 3_600_000;
/** Live events are stored within a second or two. */
const LATE_MS = 60_000;

/** What a running Weir says of itself. */
export function checkRunning(status: InstallationStatus, nowMs: number): Finding[] {
  return [
    checkWorkers(status),
    checkQueue(status),
    checkDeadLetters(status),
    ...checkQuarantine(status),
    ...checkCompaction(status, nowMs),
  ];
}

function checkWorkers({ partitions, members }: InstallationStatus): Finding {
  const orphans = partitions.filter(({ alive }) => !alive).length;
  const found = `${members.length} workers, ${partitions.length} partitions`;
  if (members.length === 0) return bad("workers", "No worker is alive.", "Start one: `weir start`, or `weir worker`.");
  if (orphans > 0) {
    return odd(
      "workers",
      `${found}, ${orphans} of them without a living owner.`,
      "If it stays so, look at the workers' logs.",
    );
  }
  const careful = partitions.filter(({ lanes }) =>
    Object.values(lanes).some(({ attempts }) => attempts >= CAREFUL_FROM_ATTEMPTS),
  );
  if (careful.length > 0) {
    const named = careful.map(({ partition }) => partition).join(", ");
    return odd(
      "workers",
      `Workers have died on partitions ${named}.`,
      "Their logs tell why; the event becomes a dead letter.",
    );
  }
  return ok("workers", `${found}, all owned.`);
}

function checkQueue({ queued, state }: InstallationStatus): Finding {
  const lag = `${queued.events} events wait, the oldest for ${(queued.lag_ms / 1000).toFixed(1)} s`;
  if (state !== "open" && state !== "none") {
    return odd("queue", `${lag}; the streams are being made anew.`, "Wait; captures are answered 503 until then.");
  }
  if (queued.lag_ms > LATE_MS) {
    return odd(
      "queue",
      `${lag}.`,
      "A migration in hand? Else start more workers (WEIR_WORKERS), and look at their logs.",
    );
  }
  return ok("queue", `${lag}.`);
}

function checkDeadLetters({ dead_letters }: InstallationStatus): Finding {
  if (dead_letters === 0) return ok("dead letters", "None.");
  return odd("dead letters", `${dead_letters} events could not be worked on.`, "`weir dead-letters list` shows why.");
}

function checkQuarantine({ set_aside }: InstallationStatus): Finding[] {
  if (set_aside.length === 0) return [];
  const found = `It leaves ${set_aside.length} files alone for a while: ${set_aside.join(", ")}.`;
  const advice =
    "Was a compactor killed? Then it takes them up within minutes. Else its log and `weir lake verify` tell what is wrong; queries still read them.";
  return [odd("compaction", found, advice)];
}

function checkCompaction({ compaction_failures }: InstallationStatus, nowMs: number): Finding[] {
  const [last] = compaction_failures;
  if (last === undefined || nowMs - last.last_at_ms > RECENT_MS) return [];
  const minutes = Math.round((nowMs - last.last_at_ms) / 60_000);
  const found = `It failed ${minutes} minutes ago (${last.kind}; ${last.failures} times so far): ${last.last_error}`;
  return [odd("compaction", found, "Failed work is tried again. docs/runbook.md#compaction-fails says what to do.")];
}
