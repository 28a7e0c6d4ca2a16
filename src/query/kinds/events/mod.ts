import { Type } from "@sinclair/typebox";
import type { Calendar } from "../../time/dates.ts";
import { agesOfRows } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { asItIs } from "../overrides.ts";
import { ROWS_RESPONSE, rowsTable } from "../table.ts";
import { endsOf } from "./ends.ts";
import { type EventsQuery, EventsSchema, readEvents } from "./node.ts";
import { runEvents } from "./run.ts";

/** A list of events. */
export const EVENTS: Kind = {
  name: "EventsQuery",
  listedAs: "JSON",
  schema: {
    ...EventsSchema,
    properties: {
      ...EventsSchema.properties,
      actionSteps: Type.Optional(Type.Null()),
      source: Type.Optional(Type.Null()),
    },
  },
  response: {
    ...ROWS_RESPONSE,
    types: Type.Array(Type.String({ description: "ClickHouse's name." })),
    nextCursor: Type.Union([Type.String({ description: "The `before` of the next page." }), Type.Null()]),
  },
  ages: agesOfRows,
  override: asItIs,
  read(source) {
    const query = readEvents(source);
    return {
      texts: [query.select, query.where, query.orderBy].flatMap((texts) => texts ?? []),
      filters: [query.properties, query.fixedProperties],
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      run: (context) => runEvents(query, context),
    };
  },
  table: rowsTable,
};

/** Without an end it lists the events of the moment. */
function datesOf(query: EventsQuery, calendar: Calendar): string | null {
  if (!query.before || query.after == null) return null;
  const { after, before } = endsOf(query, calendar);
  return `${after?.at.epochMilliseconds ?? ""}/${before.at.epochMilliseconds}`;
}
