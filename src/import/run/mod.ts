export { type Counts, noCounts } from "./counts.ts";
export { type DryRun, dryRun } from "./dryRun.ts";
export { type Between, dayOfMs, Judge } from "./judge.ts";
export type { Report } from "./report.ts";
export { Run, type RunOptions, type Telling } from "./run.ts";
export { type ImportFacts, type Progress, State } from "./state.ts";
export { Stats } from "./stats.ts";
export { type SurveyFound, surveyRows } from "./surveyPass.ts";
export { Plan, Walk } from "./walk.ts";
