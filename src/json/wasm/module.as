export { configureOutline, outline, rootBytes, itemBytes, startBytes } from "./outline";
export { findMembers } from "./members";
export { configureSplit, split } from "./split";
