import type { Environment, Visible } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { type Question, questionOf } from "./question.ts";

/** A question as it is written down, for a later moment or another process. */
interface WrittenQuestion {
  node: JsonObject;
  /** The time that a test set; null for the time of the calculation. */
  clockMs: number | null;
  /** As of the question. */
  cohorts?: Visible | null;
}

export function writtenQuestion({ query, hasTestClock, nowMs, cohorts }: Question): string {
  return JSON.stringify({
    node: query.node,
    clockMs: hasTestClock ? nowMs : null,
    cohorts,
  } satisfies WrittenQuestion);
}

/** By the environment's settings of now, which make it another question where they changed since. */
export function readQuestion(text: string, environment: Environment, nowMs: number): Question {
  const { node, clockMs, cohorts = null } = JSON.parse(text) as WrittenQuestion;
  const caller = { cohorts };
  return questionOf(environment, node, { nowMs: clockMs ?? nowMs, hasTestClock: clockMs !== null, caller });
}
