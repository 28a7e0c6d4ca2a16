/** Persons and groups as events describe them: their ids, merges, properties. Pure. */
export { AUTOMATIC, type AutomaticProperty, automaticOfInitial, automaticOfKey, initialKey } from "./automatic.ts";
export {
  DISTINCT_ID_MAX_CHARACTERS,
  distinctIdText,
  isIllegalForPersons,
  isIllegalToMerge,
  readDistinctId,
} from "./distinctId.ts";
export { expandFirst, isPlainValue } from "./firstValues.ts";
export {
  GROUP_IDENTIFY,
  GROUP_KEY_MAX_CHARACTERS,
  groupsOf,
  hasLongKey,
  type IdentifiedGroup,
  identifiedGroup,
} from "./groups.ts";
export {
  type GroupImport,
  type IdentityRequest,
  importRequest,
  type MergeRequest,
  mergeRequest,
  type PersonImport,
  readIdentityRequest,
} from "./identityRequest.ts";
export { mergeKindOf, mergeOf } from "./merge.ts";
export { PersonScan } from "./personScan.ts";
export { unsetKeys } from "./unsetKeys.ts";
