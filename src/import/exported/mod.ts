/** Rows of batch exports, as PostHog and Weir write them. */
export { mapEvent } from "./event.ts";
export { formatOf, isGroupedPersons, stagePersons } from "./files.ts";
export { groupPersons, mapGroupedPerson } from "./groupPersons.ts";
