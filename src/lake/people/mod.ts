export { fold } from "./fold.ts";
export { CLASS, LOG_COLUMNS, OP, VERSION } from "./logColumns.ts";
export { type LogTables, logRows, movedOf, nodesOf, seenOf } from "./logTables.ts";
export { personKey, personKeyOf } from "./personKey.ts";
export { reduced } from "./reduce.ts";
export { countPersons, grown, NUMBER_COLUMNS, numbersOf, type PersonCount, unnumbered, whoIs } from "./roster.ts";
export { propertyRows, valuesOf } from "./values.ts";
