export {
  chooseColumns,
  commonest,
  countKeys,
  type KeyCount,
  keyCount,
  MAX_KEY_LENGTH,
  MIN_EVENT_ROWS,
  mayHaveColumn,
} from "./choose.ts";
export {
  type ColumnType,
  columnName,
  describeLayout,
  fileColumns,
  jsonColumn,
  LANE_NUMBER,
  LAYOUT_ASKED_ROOM,
  LAYOUT_MAX_COLUMNS,
  PERSON_MODE_NUMBER,
  pointerOf,
  RELATION_COLUMNS,
  REST,
  SEGMENT_COLUMNS,
  type TypedColumn,
  typedColumnsIn,
} from "./columns.ts";
export { type Parameter, readKey, wholeProperties } from "./read.ts";
export { split, splitVariables } from "./split.ts";
export { Splitter } from "./splitter.ts";
export { numberIn, VALUE_TYPES } from "./values.ts";
