/** What the properties of an event mean for persons. Pure; imports nothing but types. */
export { automaticPersonKeys, initialKey, personKey, personSets } from "./automatic.ts";
export { distinctIdText, parseExact } from "./distinctId.ts";
export { isIllegalForPersons, isIllegalToMerge } from "./illegalIds.ts";
export { type IllegalMerge, type Merge, type MergeKind, mergeKindOf, mergeOf } from "./merge.ts";
export { cleanText, cutCharacters } from "./text.ts";
