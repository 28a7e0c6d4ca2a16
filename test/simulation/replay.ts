import { simulate } from "./simulation.ts";

const [seed, flag] = process.argv.slice(2);
if (seed === undefined || !/^\d+$/.test(seed)) {
  console.error("usage: bun test/simulation/replay.ts SEED [--trace]");
  process.exit(2);
}
const outcome = simulate(Number(seed), { isTraced: flag === "--trace" });
for (const line of outcome.trace) console.log(line);
console.log(JSON.stringify(outcome.faults));
console.log(`${outcome.workers} workers, ${outcome.events} events, ${outcome.steps} steps`);
console.log(outcome.violation ?? "no promise was broken");
process.exitCode = outcome.violation === null ? 0 : 1;
