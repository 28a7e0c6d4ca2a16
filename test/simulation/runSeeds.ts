/**
 * `bun test/simulation/runSeeds.ts FROM TO` simulates the seeds from one number on, up to another one that is left out, in one
 * process, and prints what came of it as JSON. Now and then it says on stderr how far it is, so that a run that was ended can
 * go on from there.
 */
import { FaultCounts } from "./faults.ts";
import { simulate } from "./simulation.ts";

const MAX_FAILURES = 10;
const SEEDS_PER_LINE = 10_000;

export interface SeedsReport {
  seeds: number;
  faults: ReturnType<FaultCounts["toJSON"]>;
  failures: { seed: number; violation: string }[];
  /** Seeds that had too little of something to count as a trial. */
  poor: number[];
  events: number;
  steps: number;
}

const range = process.argv.slice(2);
if (range.length !== 2 || !range.every((text) => /^\d+$/.test(text))) {
  console.error("usage: bun test/simulation/runSeeds.ts FROM TO");
  process.exit(2);
}
const [from, to] = range.map(Number) as [number, number];
const faults = new FaultCounts();
const report: SeedsReport = { seeds: 0, faults: {}, failures: [], poor: [], events: 0, steps: 0 };
for (let seed = from; seed < to && report.failures.length < MAX_FAILURES; seed++) {
  const outcome = simulate(seed);
  report.seeds++;
  report.events += outcome.events;
  report.steps += outcome.steps;
  faults.addAll(outcome.faults);
  if (outcome.violation !== null) {
    report.failures.push({ seed, violation: outcome.violation });
    console.error(`seed ${seed} is wrong: ${outcome.violation}`);
  }
  if (outcome.workers < 2 || outcome.events < 40 || outcome.faults.total < 3) report.poor.push(seed);
  if (report.seeds % SEEDS_PER_LINE === 0) {
    const wrong = report.failures.map((failure) => failure.seed).join(" ") || "none";
    console.error(`seeds ${from} to ${seed} ran, wrong: ${wrong}, faults: ${faults.total}`);
  }
}
report.faults = faults.toJSON();
console.log(JSON.stringify(report));
