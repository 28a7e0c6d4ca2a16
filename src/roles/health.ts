import type { Intake } from "../intake/intake.ts";
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
      const reason = intake.refusal()?.message ?? intake.silence() ?? (await refusal?.());
      if (reason !== undefined && reason !== null) return reason;
      try {
        await db.read((tx) => tx`select 1`);
      } catch (error) {
        return describeError(error);
      }
      return null;
    },

    /** Null: a process that can answer is alive. */
    alive(): string | null {
      return null;
    },
  };
}
