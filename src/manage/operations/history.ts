import {
  HEALTH_STEPS,
  type HealthFigures,
  type HealthHistory,
  type HealthSample,
  type HealthStep,
} from "../../lake/mod.ts";
import { oneOf } from "../../openapi/mod.ts";
import { LANES } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { type QueryParameters, strictNumberParam } from "../http/query.ts";
import { isoTime } from "../http/reply.ts";
import type { OpenCall } from "../serve/route.ts";

const STEPS = Object.keys(HEALTH_STEPS) as HealthStep[];
const DEFAULT_STEPS = 180;

export const HISTORY_QUERY = {
  step: { description: "How long each step is; `minute` where absent.", schema: oneOf(STEPS) },
  steps: strictNumberParam("How many steps, the last of which is over (of hours it is the one of now).", DEFAULT_STEPS),
} satisfies QueryParameters;

/** What is asked for; at most as many steps as are kept. Throws ApiError 400. */
export function readWish({ query, deps: { config } }: OpenCall): { step: HealthStep; steps: number } {
  const given = query.get("step") ?? "minute";
  const step = STEPS.find((one) => one === given);
  if (step === undefined) throw invalidField("step", "invalid_choice", `"${given}" is not a valid choice.`);
  const text = query.get("steps") ?? String(DEFAULT_STEPS);
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) {
    throw invalidField("steps", "invalid_input", "A valid integer is required.");
  }
  const keptMs = step === "minute" ? config.healthMinutesKeepMs : config.healthHoursKeepMs;
  return { step, steps: Math.min(Number(text), Math.floor(keptMs / HEALTH_STEPS[step])) };
}

/** The answer: one list for each figure. */
export function historyBody(step: HealthStep, { stepMs, fromMs, untilMs, figures, samples }: HealthHistory) {
  const list = (read: (one: HealthFigures) => number) => figures.map((one) => (one === null ? null : read(one)));
  const minutesOf = (at: number) => Math.min(stepMs, untilMs - fromMs - at * stepMs) / HEALTH_STEPS.minute;
  return {
    step,
    step_ms: stepMs,
    date_from: isoTime(fromMs),
    accepted: list((one) => one.accepted),
    queued: list((one) => one.queued),
    stored: list((one) => one.stored),
    duplicates: list((one) => one.duplicates),
    dropped: list((one) => one.dropped),
    dead_letters: list((one) => one.deadLetters),
    queued_max: list((one) => one.queuedMax),
    lag_ms: Object.fromEntries(LANES.map((lane) => [lane, list((one) => one.lagsMs[lane])])),
    missing: samples.map((sample, at) => minutesOf(at) - (sample?.samples ?? 0)),
    problem: samples.map((sample) => sample?.problem ?? null),
  };
}

/** What belongs to the machine. */
export function machineBody({ samples }: HealthHistory) {
  const list = (read: (one: HealthSample) => number | null) => samples.map((one) => (one === null ? null : read(one)));
  return {
    workers: list((one) => one.workers),
    files: list((one) => one.files),
    file_bytes: list((one) => one.fileBytes),
    disk_free_bytes: list((one) => one.diskFreeBytes),
  };
}
