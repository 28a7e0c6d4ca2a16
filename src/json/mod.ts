/** JSON as text: what lies where in it, changes to it that keep the rest to the letter, and what of it can be stored. */
export { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./codes.ts";
export { keyTable, keyTableBytes, writeKeyTable } from "./keyTable.ts";
export { eachMember, itemsOf, keyText, membersOf, printMembers, withMembers } from "./members.ts";
export { PADDING_BYTES, scanMemory, scanners } from "./memory.ts";
export { stringEnd } from "./positions.ts";
export { cleanJson, cleanText, cutCharacters, parseExact } from "./text.ts";
