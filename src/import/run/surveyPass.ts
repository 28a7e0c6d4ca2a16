import { join } from "node:path";
import { stringifyExact } from "../exact.ts";
import { CopyFinder, FirstFinder, type FirstsSummary } from "../survey/mod.ts";
import { RowRejected } from "../types.ts";
import { asksForFirsts, numbersCopies } from "./copyRules.ts";
import { type Counts, countLeftOut, countReject, noCounts } from "./counts.ts";
import type { Judge, Outcome } from "./judge.ts";
import type { Plan, Rows, Walk } from "./walk.ts";

/** What is known of all rows before the first is sent. */
export interface SurveyFound {
  rows: number;
  /** Rows that are events. */
  events: number;
  /** Rows that equal an earlier one. */
  copies: number;
  firsts: FirstsSummary;
  counts: Counts;
}

export interface SurveyOptions {
  plan: Plan;
  walk: Walk;
  judge: Judge;
  options: unknown;
  /** Users of a device that may be connected to it. */
  deviceUsers: number;
  /** Whether identical rows are one event. */
  mergesIdentical: boolean;
  /** The folder for what it finds. */
  folder: string;
  /** Rows that are looked at. */
  sample?: number | undefined;
  /** Told of each row. `json`: of its event. */
  look?(rows: Rows, index: number, outcome: Outcome, json: string): void;
  tell(counts: Counts): void;
}

/** Whether the rows must be looked at before the first is sent. */
export function needsSurvey(plan: Plan, options: unknown, mergesIdentical: boolean): boolean {
  return plan.parts.some(
    ({ stage }) => asksForFirsts(stage, options) || (!mergesIdentical && numbersCopies(stage, options)),
  );
}

export const copiesFolder = (folder: string): string => join(folder, "copies");
export const firstsFolder = (folder: string): string => join(folder, "firsts");

/** Maps all rows once. What is found of firsts and copies is in `folder`. */
export async function surveyRows(o: SurveyOptions): Promise<SurveyFound> {
  const copies = new CopyFinder(copiesFolder(o.folder));
  const firsts = new FirstFinder(firstsFolder(o.folder));
  const counts = noCounts();
  const most = o.sample ?? Number.POSITIVE_INFINITY;
  let events = 0;
  for await (const batch of o.walk.rows()) {
    const counted = !o.mergesIdentical && numbersCopies(batch.stage, o.options);
    for (const [i, row] of batch.rows.entries()) {
      if (counts.rows === most) break;
      let outcome = o.judge.judge(batch.stage, row);
      let json = "";
      if (outcome.kind === "event" && o.look !== undefined) {
        json = stringifyExact(outcome.event);
        outcome = checked(o.judge, outcome, json);
      }
      counts.rows++;
      if (outcome.kind === "rejected") countReject(counts, outcome.rejected.reason);
      if (outcome.kind === "left out") countLeftOut(counts, outcome.reason);
      if (outcome.kind === "firsts") countLeftOut(counts, NO_EVENT);
      if (outcome.kind === "person") counts.persons++;
      if (outcome.kind === "event") {
        events++;
        if (counted && outcome.isNumbered) copies.add(outcome.event.uuid, batch.first + i);
      }
      if ("firsts" in outcome) for (const first of outcome.firsts) firsts.add(first);
      o.look?.(batch, i, outcome, json);
    }
    o.tell(counts);
    if (counts.rows === most) break;
  }
  return { rows: counts.rows, events, copies: copies.finish(), firsts: firsts.finish(o.deviceUsers), counts };
}

/** Why a row that only asks for firsts is left out. */
export const NO_EVENT = "tells of persons or groups only";

function checked({ rules }: Judge, outcome: Outcome, json: string): Outcome {
  try {
    rules.check(json);
    return outcome;
  } catch (rejected) {
    if (rejected instanceof RowRejected) return { kind: "rejected", rejected };
    throw rejected;
  }
}
