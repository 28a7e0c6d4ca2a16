import type { Config } from "../config.ts";
import type { Catalog } from "../lake/mod.ts";
import type { Db } from "../metadata/mod.ts";
import { describeError } from "../types/mod.ts";
import type { Children } from "./children.ts";
import type { Intake } from "./intake.ts";

export interface HealthParts {
  config: Config;
  db: Db;
  catalog: Catalog;
  intake: Intake;
  children: Children;
}

/** Answers for `/_readiness`, `/_liveness` and `/metrics`. */
export function healthOf(parts: HealthParts) {
  return {
    /** Why this process cannot serve now, or null. */
    async ready(): Promise<string | null> {
      const refusal = parts.intake.refusal();
      if (refusal !== null) return refusal.message;
      try {
        await parts.db.read((tx) => tx`select 1`);
      } catch (error) {
        return `the record store does not answer: ${describeError(error)}`;
      }
      return null;
    },

    /** The event loop turns, or this would not be asked. */
    alive(): string | null {
      return null;
    },

    async metrics(): Promise<string> {
      const totals = await parts.catalog.settledTotals();
      const { liveSegments, segmentsAside, duplicatesMet } = await parts.catalog.lakeFacts();
      const lines = [
        "# HELP weir_events_settled_total Events that have been settled, by outcome.",
        "# TYPE weir_events_settled_total counter",
        ...totals.map(({ outcome, events }) => `weir_events_settled_total{outcome="${outcome}"} ${events}`),
        "# HELP weir_segments_live Files that queries read.",
        "# TYPE weir_segments_live gauge",
        `weir_segments_live ${liveSegments}`,
        "# HELP weir_segments_set_aside Files that compaction leaves alone for a while, because a job failed of them; anything but 0 is a defect.",
        "# TYPE weir_segments_set_aside gauge",
        `weir_segments_set_aside ${segmentsAside}`,
        "# HELP weir_stored_duplicates_total Copies that compaction found among stored events; anything but 0 is a defect.",
        "# TYPE weir_stored_duplicates_total counter",
        `weir_stored_duplicates_total ${duplicatesMet}`,
        "# HELP weir_children_running Worker and compactor processes of this machine.",
        "# TYPE weir_children_running gauge",
        `weir_children_running ${parts.children.names.length}`,
        "# HELP weir_accepting Whether events are accepted now.",
        "# TYPE weir_accepting gauge",
        `weir_accepting ${parts.intake.refusal() === null ? 1 : 0}`,
      ];
      return `${lines.join("\n")}\n`;
    },
  };
}
