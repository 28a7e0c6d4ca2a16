import { Type } from "@sinclair/typebox";
import { anything, DateRangeSchema, object, optional } from "../shape/shapes.ts";

/** Members that nodes of all insights have, for their shapes. */
export const INSIGHT_FIELDS = {
  dateRange: optional(DateRangeSchema),
  properties: anything,
  filterTestAccounts: optional(Type.Boolean()),
  samplingFactor: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  aggregation_group_type_index: optional(Type.Integer({ minimum: 0, maximum: 4 })),
  explain: optional(Type.Boolean()),
  dataColorTheme: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
};

/** `compareFilter` of a node. */
export const CompareSchema = object({ compare: optional(Type.Boolean()), compare_to: optional(Type.String()) });
