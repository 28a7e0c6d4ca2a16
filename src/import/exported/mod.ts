/** Rows of batch exports, as PostHog and Weir write them. */
export { mapCsvEvent, mapEvent } from "./event.ts";
export { formatOf, isCsv, isGroupedPersons, PERSONS, stagePersons } from "./files.ts";
