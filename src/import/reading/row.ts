import { describeError, isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { parseExact, stringifyExact } from "../exact.ts";
import { type RejectReason, RowRejected } from "../types.ts";

/** A row of a file. It is read when it is asked for, so that rows can be passed over. */
export interface Row {
  /** The line it begins on, else its number, from 1. */
  line: number;
  /** Throws RowRejected. */
  value(): JsonObject;
  /** As it was written, or as JSON where that is no text. */
  raw(): string;
}

/** A line, or an element of a list, that should hold a JSON object. */
export class TextRow implements Row {
  constructor(
    readonly line: number,
    private readonly text: string,
  ) {}

  value(): JsonObject {
    return objectIn(this.text);
  }

  raw(): string {
    return this.text;
  }
}

/** A row of a table, with its columns as members. */
export class TableRow implements Row {
  constructor(
    readonly line: number,
    private readonly read: () => JsonObject,
  ) {}

  value(): JsonObject {
    return this.read();
  }

  raw(): string {
    return stringifyExact(this.read());
  }
}

/** A row that cannot be read. */
export class BrokenRow implements Row {
  constructor(
    readonly line: number,
    private readonly reason: RejectReason,
    private readonly message: string,
    private readonly text: string,
  ) {}

  value(): JsonObject {
    throw new RowRejected(this.reason, this.message);
  }

  raw(): string {
    return this.text;
  }
}

/** The object that a JSON text holds. Throws RowRejected. */
export function objectIn(text: string): JsonObject {
  let value: Json;
  try {
    value = parseExact(text);
  } catch (error) {
    throw new RowRejected("bad_json", describeError(error));
  }
  if (isJsonObject(value)) return value;
  throw new RowRejected("not_an_object", "The line holds no JSON object.");
}
