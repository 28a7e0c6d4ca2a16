/** Rows of batch exports, as PostHog and Weir write them. */
export { mapCsvEvent, mapEvent } from "./event.ts";
export { formatOf, isCsv, isGroupedPersons, stagePersons } from "./files.ts";
export { groupPersons, mapGroupedPerson } from "./groupPersons.ts";
