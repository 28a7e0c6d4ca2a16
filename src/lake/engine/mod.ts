export { bindAll, type SqlValue } from "./bind.ts";
export { BoundVariables } from "./boundVariables.ts";
export { doubleListsOf, doublesOf, integersOf, listsOf, unsignedOf, writeColumn } from "./chunks.ts";
export {
  Engine,
  type EngineOptions,
  firstLineOf,
  isEnvironmentError,
  isMissingFile,
  isOutOfMemory,
  openInstance,
  type Scanner,
  type Session,
} from "./duckdb.ts";
export { duckdbClient } from "./duckdbClient.ts";
export { decoded, encoded, NULL, RawFile } from "./rawFile.ts";
export { quoted, sqlList, sqlString, sqlTexts, tableOfLists } from "./sqlText.ts";
export { type RunOptions, StoppableEngine, type Variables } from "./stoppableEngine.ts";
