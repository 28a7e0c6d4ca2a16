export { type Counts, noCounts } from "./counts.ts";
export { type DryRun, dryRun } from "./dryRun.ts";
export { type Between, Judge } from "./judge.ts";
export { personsOnlyOf } from "./personsOnlyOf.ts";
export type { Report } from "./report.ts";
export { Run, type Telling } from "./run.ts";
export { type ImportFacts, State } from "./state.ts";
export { Plan, Walk } from "./walk.ts";
