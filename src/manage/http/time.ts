import { Type } from "@sinclair/typebox";
import { type Field, FieldError, refuseNull } from "./fields.ts";

/** ISO 8601; without a zone it is UTC. Epoch milliseconds. */
export function time(): Field<number> {
  return {
    schema: Type.String({ format: "date-time" }),
    read(value) {
      refuseNull(value);
      const text = typeof value === "string" ? value.trim() : "";
      const ms = timeIn(text);
      if (ms !== null) return ms;
      throw new FieldError(
        "invalid_input",
        "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].",
      );
    },
  };
}

const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** An ISO 8601 time as epoch milliseconds, UTC where it names no zone; null for a text that is no time. */
export function timeIn(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const ms = Date.parse(match[1] === undefined ? `${text.length === 10 ? `${text}T00:00` : text}Z` : text);
  return Number.isNaN(ms) ? null : ms;
}
