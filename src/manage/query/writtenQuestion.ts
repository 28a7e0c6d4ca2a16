import type { Environment, Nameable } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { type Question, questionOf } from "./question.ts";

/** A question as it is written down, for a later moment or another process. */
interface WrittenQuestion extends Partial<Nameable> {
  node: JsonObject;
  /** The time that a test set; null for the time of the calculation. */
  clockMs: number | null;
}

export function writtenQuestion({ query, hasTestClock, nowMs, nameable }: Question): string {
  return JSON.stringify({
    node: query.node,
    clockMs: hasTestClock ? nowMs : null,
    ...nameable,
  } satisfies WrittenQuestion);
}

/** By the environment's settings of now, which make it another question where they changed since. */
export function readQuestion(text: string, environment: Environment, nowMs: number): Question {
  const { node, clockMs, cohorts = null, actions = null } = JSON.parse(text) as WrittenQuestion;
  return questionOf(environment, node, {
    nowMs: clockMs ?? nowMs,
    hasTestClock: clockMs !== null,
    caller: { nameable: { cohorts, actions } },
  });
}
