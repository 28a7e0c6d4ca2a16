import { Type } from "@sinclair/typebox";
import { anything, DateRangeSchema, object, optional } from "../shape/shapes.ts";

/** Members that nodes of all insights have, for their shapes. */
export const INSIGHT_FIELDS = {
  dateRange: optional(DateRangeSchema),
  properties: anything,
  filterTestAccounts: optional(Type.Boolean()),
  samplingFactor: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  aggregation_group_type_index: optional(Type.Number()),
  explain: optional(Type.Boolean()),
  dataColorTheme: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
};

const TIME = Type.String({ format: "date-time" });

/** Members that answers of insights have, for the API document. */
export const INSIGHT_ANSWER = {
  hogql: Type.Optional(Type.String({ description: "HogQL that gives the numbers." })),
  modifiers: Type.Record(Type.String(), Type.String()),
  resolved_date_range: Type.Object({ date_from: TIME, date_to: TIME }),
};

/** `compareFilter` of a node. */
export const CompareSchema = object({ compare: optional(Type.Boolean()), compare_to: optional(Type.String()) });
