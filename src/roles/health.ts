import type { Intake } from "../intake/intake.ts";
import type { Catalog } from "../lake/mod.ts";
import type { Db } from "../store/mod.ts";
import { describeError } from "../types/mod.ts";

interface HealthParts {
  db: Db;
  intake: Intake;
  /** One more reason not to serve, or null. */
  refusal?(): Promise<string | null>;
}

/** Answers for `/_readiness` and `/_liveness` of a process that takes requests. */
export function healthOf({ db, intake, refusal }: HealthParts) {
  return {
    /** Why this process cannot serve now, or null. */
    async ready(): Promise<string | null> {
      const reason = intake.refusal()?.message ?? (await refusal?.());
      if (reason !== undefined && reason !== null) return reason;
      try {
        await db.read((tx) => tx`select 1`);
      } catch (error) {
        return `the record store does not answer: ${describeError(error)}`;
      }
      return null;
    },

    /** Null: a process that can answer is alive. */
    alive(): string | null {
      return null;
    },
  };
}

interface MetricsParts {
  catalog: Catalog;
  intake: Intake;
  /** Names of the processes that `weir start` runs. */
  processes(): string[];
}

/** The answer of `/metrics`, in Prometheus' text format. */
export async function metricsText({ catalog, intake, processes }: MetricsParts): Promise<string> {
  const totals = await catalog.settledTotals();
  const { liveSegments, segmentsAside, duplicatesMet } = await catalog.lakeFacts();
  const lines = [
    "# HELP weir_events_settled_total Events that have been settled, by outcome.",
    "# TYPE weir_events_settled_total counter",
    ...totals.map(({ outcome, events }) => `weir_events_settled_total{outcome="${outcome}"} ${events}`),
    "# HELP weir_segments_live Files that queries read.",
    "# TYPE weir_segments_live gauge",
    `weir_segments_live ${liveSegments}`,
    "# HELP weir_segments_set_aside Files that compaction has quarantined because a job failed on them; anything but 0 is a defect.",
    "# TYPE weir_segments_set_aside gauge",
    `weir_segments_set_aside ${segmentsAside}`,
    "# HELP weir_stored_duplicates_total Copies that compaction found among stored events; anything but 0 is a defect.",
    "# TYPE weir_stored_duplicates_total counter",
    `weir_stored_duplicates_total ${duplicatesMet}`,
    "# HELP weir_children_running Processes that `weir start` runs on this machine, without itself and the query processes.",
    "# TYPE weir_children_running gauge",
    `weir_children_running ${processes().length}`,
    "# HELP weir_accepting Whether events are accepted now.",
    "# TYPE weir_accepting gauge",
    `weir_accepting ${intake.refusal() === null ? 1 : 0}`,
  ];
  return `${lines.join("\n")}\n`;
}
