export { changed, type Db, numberOrNull, type Stored, type Tx } from "./db.ts";
export { assertUnused, type DumpFacts, type DumpLine, dumpStore, loadStore } from "./dump.ts";
export { lockFile } from "./fileLock.ts";
export {
  allOf,
  type Fragment,
  type Listed,
  type ListPage,
  orderOf,
  type Page,
  searchCondition,
  searchTextOf,
  selectPage,
  wordsCondition,
} from "./listing.ts";
export { insertRows, manyRows, manyTexts, type RowsTarget, type RowValue } from "./manyRows.ts";
export { type Dialect, idColumn, type Migration } from "./migration.ts";
export { openStore, type Target } from "./open.ts";
export { Table } from "./table.ts";
