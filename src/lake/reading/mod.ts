export { countRows, type Reader, readTeams } from "./contents.ts";
export type { ActivityRequest } from "./dailyRollup.ts";
export type { EventsRequest, KeyPath } from "./events.ts";
export { checkUuid, erasedRows, isOfImport, keptInOneScan, keptRows } from "./keptRows.ts";
export { type PersonHistory, type Relations, relationsOf } from "./relations.ts";
