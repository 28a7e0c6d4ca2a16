/** What the properties of an event mean for persons. Pure; imports nothing but types. */
export { automaticPersonKeys, initialKey, personKey } from "./automatic.ts";
export { Bits } from "./bits.ts";
export { detectType } from "./detectType.ts";
export { DISTINCT_ID_MAX_CHARACTERS, distinctIdText, parseExact, readDistinctId } from "./distinctId.ts";
export { expandFirst, isPlainValue } from "./firstValues.ts";
export { GROUP_IDENTIFY, groupsOf, type IdentifiedGroup, identifiedGroup } from "./groups.ts";
export {
  type IdentityRequest,
  importRequest,
  type MergeRequest,
  mergeRequest,
  type PersonImport,
  readIdentityRequest,
} from "./identityRequest.ts";
export { isIllegalForPersons, isIllegalToMerge } from "./illegalIds.ts";
export { stringEnd } from "./jsonText.ts";
export { eachMember, keyText, membersOf, printMembers } from "./members.ts";
export { mergeKindOf, mergeOf } from "./merge.ts";
export { AUTOMATIC, type AutomaticProperty, automaticOfInitial, automaticOfKey } from "./numbers.ts";
export { PersonScan } from "./personScan.ts";
export { cleanJson, cleanText, cutCharacters } from "./text.ts";
export { unsetKeys } from "./unsetKeys.ts";
