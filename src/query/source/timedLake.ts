import type { Lake, LakeQuery, QueryOutcome } from "../../lake/mod.ts";
import { TerminalError } from "../../types/mod.ts";

/** A lake whose statements end together with the question that they answer: each has only what the ones before it left. */
export class TimedLake implements Lake {
  /** `endsAtMs`: of `performance.now()`. */
  constructor(
    private readonly lake: Lake,
    private readonly endsAtMs: number,
  ) {}

  async query(query: LakeQuery): Promise<QueryOutcome> {
    const leftMs = Math.ceil(this.endsAtMs - performance.now());
    if (leftMs <= 0) throw new TerminalError("query_timeout", "the query did not end in time");
    return this.lake.query({ ...query, deadlineMs: Math.min(query.deadlineMs, leftMs) });
  }

  close(): Promise<void> {
    return this.lake.close();
  }
}
