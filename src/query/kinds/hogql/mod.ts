import { Type } from "@sinclair/typebox";
import { isJsonObject, type Json, type JsonObject } from "../../../types/mod.ts";
import { check } from "../../shape/shapes.ts";
import { type Calendar, parseDate } from "../../time/dates.ts";
import { agesOfRows } from "../ages.ts";
import type { Kind, Overrides } from "../kind.ts";
import { listed, overridingDates } from "../overrides.ts";
import { ROWS_RESPONSE, rowsTable } from "../table.ts";
import { type HogqlQuery, HogqlSchema } from "./node.ts";
import { runHogql } from "./run.ts";

/** SQL as PostHog has it. */
export const HOGQL: Kind = {
  name: "HogQLQuery",
  listedAs: "SQL",
  schema: HogqlSchema,
  response: {
    ...ROWS_RESPONSE,
    types: Type.Array(Type.Array(Type.String()), { description: "`[column, ClickHouse's type]`." }),
  },
  ages: agesOfRows,
  override: (source, overrides) => overrideVariables(overrideFilters(source, overrides), overrides),
  read(source) {
    const query = check(HogqlSchema, source, "");
    return {
      texts: [query.query],
      filters: query.filters,
      filterTestAccounts: query.filters?.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      run: (context) => runHogql(query, context),
    };
  },
  table: rowsTable,
};

function datesOf({ filters }: HogqlQuery, calendar: Calendar): string {
  const end = (text: string | null | undefined) =>
    text == null || text === "" || text === "all" ? "" : parseDate(text, calendar).at.epochMilliseconds;
  return `${end(filters?.dateRange?.date_from)}/${end(filters?.dateRange?.date_to)}`;
}

/** They act where the text has `{filters}`. */
function overrideFilters(source: JsonObject, { filters }: Overrides): JsonObject {
  const dates = overridingDates(filters);
  const further = listed(filters.properties);
  if (dates.dateRange === undefined && further.length === 0) return source;
  const present = isJsonObject(source.filters) ? source.filters : {};
  const narrowed = further.length > 0 && { properties: [...listed(present.properties), ...further] };
  return { ...source, filters: { ...present, ...narrowed, ...dates } };
}

/** Only variables that the query has get another value. */
function overrideVariables(source: JsonObject, { variables }: Overrides): JsonObject {
  const present = source.variables;
  if (!isJsonObject(present)) return source;
  const replaced = Object.entries(present).map(([id, variable]): [string, Json] => {
    const over = Object.hasOwn(variables, id) ? variables[id] : undefined;
    return [id, isJsonObject(variable) && isJsonObject(over) ? { ...variable, ...over } : variable];
  });
  return { ...source, variables: Object.fromEntries(replaced) };
}
