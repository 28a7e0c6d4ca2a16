import { type Type, typeOf } from "./types.ts";

/** Types of columns. */
export const STRING = typeOf("string");
export const JSON_TEXT: Type = { ...STRING, isJson: true };
export const UUID = typeOf("uuid");
export const TIME = typeOf("datetime");
export const GROUP_INDEX: Type = { ...typeOf("int"), clickhouse: "UInt8" };
