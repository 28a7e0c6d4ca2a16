export { type BackupReport, backUp } from "./backup.ts";
export { readSnapshots, type Snapshot } from "./manifest.ts";
export { openPlace, type Place } from "./place.ts";
export { assertNoUnfinishedRestore, type RestoreReport, restore } from "./restore.ts";
export { untilSettled } from "./settled.ts";
