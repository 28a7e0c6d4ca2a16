/** A process of its own that simulates seeds from one number on to another, and prints what came of it as JSON. */
import { FaultCounts } from "./faults.ts";
import { simulate } from "./simulation.ts";

const MAX_FAILURES = 10;

export interface SeedsReport {
  seeds: number;
  faults: ReturnType<FaultCounts["toJSON"]>;
  failures: { seed: number; violation: string }[];
  /** Seeds that had too little of something to count as a trial. */
  poor: number[];
  events: number;
  steps: number;
}

const [from, to] = process.argv.slice(2).map(Number) as [number, number];
const faults = new FaultCounts();
const report: SeedsReport = { seeds: 0, faults: {}, failures: [], poor: [], events: 0, steps: 0 };
for (let seed = from; seed < to && report.failures.length < MAX_FAILURES; seed++) {
  const outcome = simulate(seed);
  report.seeds++;
  report.events += outcome.events;
  report.steps += outcome.steps;
  faults.addAll(outcome.faults);
  if (outcome.violation !== null) report.failures.push({ seed, violation: outcome.violation });
  if (outcome.workers < 2 || outcome.events < 40 || outcome.faults.total < 3) report.poor.push(seed);
}
report.faults = faults.toJSON();
console.log(JSON.stringify(report));
