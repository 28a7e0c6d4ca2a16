import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MEASUREMENTS = join(import.meta.dir, "../../docs/measurements");
/** A ratio of two engines differs less than that from machine to machine. */
const FAR = 2;

/** What a bench of questions gives: of each the median of Weir, warm, as a share of each other engine's. */
interface Contested {
  events: number;
  answers: { question: string; ratios: { warm: Record<string, number> } }[];
}

/** The published measurement of a bench; null where there is none. */
export function published(bench: string): object | null {
  const file = join(MEASUREMENTS, `${bench}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

/** A line for each question that is more than twice as slow beside another engine as published, over as many events. */
export function slowerThan(before: object | null, measured: object): string[] {
  if (!isContested(before) || !isContested(measured) || before.events !== measured.events) return [];
  const known = new Map(before.answers.map(({ question, ratios }) => [question, ratios.warm]));
  return measured.answers.flatMap(({ question, ratios }) =>
    Object.entries(ratios.warm).flatMap(([engine, ratio]) => {
      const was = known.get(question)?.[engine];
      if (was === undefined || ratio <= was * FAR) return [];
      return [`${question}: ${ratio} of the time of ${engine}, published ${was}`];
    }),
  );
}

const isContested = (measurement: object | null): measurement is Contested =>
  measurement !== null && "events" in measurement && "answers" in measurement;
