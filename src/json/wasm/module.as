export { configureOutline, outline, rootBytes, itemBytes, startBytes, isJson } from "./outline";
export { findMembers } from "./members";
export { configureSplit, split } from "./split";
