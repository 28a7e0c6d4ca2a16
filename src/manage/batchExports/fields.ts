import { Type } from "@sinclair/typebox";
import { INTERVALS } from "../../export/mod.ts";
import { anyObject, anything, nullable as nullableSchema } from "../../openapi/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import {
  boolean,
  choice,
  type Field,
  FieldError,
  integer,
  isObject,
  nullable,
  refuseNull,
  text,
} from "../http/fields.ts";
import { time } from "../http/time.ts";

export const MODELS = ["events", "persons", "sessions", "hogql"] as const;

/** A destination as a client names it. */
export interface DestinationWish {
  type: string;
  config: JsonObject;
}

function destination(): Field<DestinationWish> {
  return {
    schema: Type.Object({ type: Type.String(), config: anyObject() }, { additionalProperties: true }),
    read(value) {
      refuseNull(value);
      if (!isObject(value)) throw new FieldError("invalid_input", "Invalid data. Expected a dictionary.");
      const { type, config, integration, integration_id: integrationId } = value;
      if (typeof type !== "string") throw new FieldError("required", "This field is required.", ["type"]);
      if (!isObject(config)) throw new FieldError("required", "This field is required.", ["config"]);
      if ((integration ?? integrationId ?? null) !== null) {
        throw new FieldError("invalid_input", "Weir has no integrations: the config has the credentials.", [
          "integration",
        ]);
      }
      return { type, config };
    },
  };
}

/** Any JSON; kept as it is. */
function json(): Field<Json> {
  return { schema: anything(), read: (value) => value };
}

function zone(): Field<string> {
  return {
    schema: Type.String(),
    read(value) {
      refuseNull(value);
      if (typeof value === "string" && isZone(value)) return value;
      throw new FieldError(
        "invalid_choice",
        `"${typeof value === "string" ? value : JSON.stringify(value)}" is not a valid choice.`,
      );
    },
  };
}

function isZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** All that a client may set of a batch export. */
export const EXPORT_FIELDS = {
  name: text({ maxLength: 200 }),
  model: nullable(choice(MODELS)),
  destination: destination(),
  interval: choice(INTERVALS),
  paused: boolean(),
  start_at: nullable(time()),
  end_at: nullable(time()),
  hogql_query: nullable(text({ maxLength: 65_536 })),
  hogql_modifiers: json(),
  primary_key: json(),
  version_key: json(),
  incremental_mode: json(),
  filters: json(),
  timezone: nullable(zone()),
  offset_day: nullable(integer({ min: 0, max: 6 })),
  offset_hour: nullable(integer({ min: 0, max: 23 })),
};

/** Of a file download. */
export const FILE_FIELD: Field<JsonObject> = {
  schema: Type.Object(
    {
      format: Type.Optional(Type.String()),
      compression: Type.Optional(nullableSchema(Type.String())),
      max_size_mb: Type.Optional(nullableSchema(Type.Integer())),
    },
    { additionalProperties: true },
  ),
  read(value) {
    refuseNull(value);
    if (!isObject(value)) throw new FieldError("invalid_input", "Invalid data. Expected a dictionary.");
    return value;
  },
};
