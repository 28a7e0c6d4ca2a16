import { type Static, Type } from "@sinclair/typebox";
import { anything, DateRangeSchema, object, optional } from "../../shape/shapes.ts";

export const HogqlSchema = object({
  kind: Type.Literal("HogQLQuery"),
  query: Type.String(),
  filters: optional(
    object({
      properties: anything,
      dateRange: optional(DateRangeSchema),
      filterTestAccounts: optional(Type.Boolean()),
    }),
  ),
  variables: optional(Type.Record(Type.String(), Type.Unknown())),
  values: optional(Type.Record(Type.String(), Type.Unknown())),
  name: anything,
  explain: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

export type HogqlQuery = Static<typeof HogqlSchema>;
