import type { JsonObject } from "../../types/mod.ts";
import { list, members } from "../http/compound.ts";
import { type Field, FieldError, integer, nullable, text } from "../http/fields.ts";

/** What events of the own team look like. The values are for the query layer to read. */
export function propertyFilters(): Field<JsonObject[]> {
  return list(
    members({
      key: { field: text({ maxLength: 4000 }), isRequired: true },
      type: { field: nullable(text({ maxLength: 40 })) },
      operator: { field: nullable(text({ maxLength: 40 })) },
      group_type_index: { field: nullable(integer({ min: 0, max: 4 })) },
    }),
  );
}

/** Rules that make one path of many: what the expression matches is replaced by the alias. */
export function pathCleaningFilters(): Field<JsonObject[]> {
  return list(
    members({
      regex: { field: regularExpression(), isRequired: true },
      alias: { field: nullable(text({ maxLength: 4000, blank: true })) },
    }),
  );
}

/** What the query engine's expressions (RE2) do not have, so that they take linear time. */
const LOOK_AROUND_OR_BACK_REFERENCE = /\(\?(?:[=!]|<[=!])|(?<!\\)(?:\\\\)*\\[1-9]/;
/** Flags at the start are RE2's, not JavaScript's. */
const LEADING_FLAGS = /^\(\?[imsU]+\)/;

function regularExpression(): Field<string> {
  const any = text({ maxLength: 4000 });
  return {
    schema: any.schema,
    read(value) {
      const expression = any.read(value);
      if (!isExpression(expression)) throw new FieldError("invalid_input", "Not a valid regular expression (RE2).");
      return expression;
    },
  };
}

function isExpression(expression: string): boolean {
  if (LOOK_AROUND_OR_BACK_REFERENCE.test(expression)) return false;
  try {
    new RegExp(expression.replace(LEADING_FLAGS, "").replaceAll("(?P<", "(?<"));
    return true;
  } catch {
    return false;
  }
}
