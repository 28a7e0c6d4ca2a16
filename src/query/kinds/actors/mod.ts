import { Type } from "@sinclair/typebox";
import { agesOfRows } from "../ages.ts";
import type { Kind, ReadQuery } from "../kind.ts";
import { asItIs } from "../overrides.ts";
import { ROWS_RESPONSE, rowsTable } from "../table.ts";
import { ActorsSchema, readActors } from "./node.ts";
import { runActors } from "./run.ts";
import { readSource } from "./source.ts";

/** The people or groups behind a part of an insight's answer; without a source all people. `kinds`: those that have some. */
export const actorsKind = (kinds: readonly Kind[]): Kind => ({
  name: "ActorsQuery",
  listedAs: "JSON",
  schema: ActorsSchema,
  response: {
    ...ROWS_RESPONSE,
    types: Type.Array(Type.String({ description: "ClickHouse's name." })),
    missing_actors_count: Type.Integer({ description: "Actors of the page without a record." }),
    group_type_index: Type.Union([Type.Integer(), Type.Null()], { description: "Of groups; null for people." }),
  },
  ages: agesOfRows,
  override: asItIs,
  read(node): ReadQuery {
    const query = readActors(node);
    const source = query.source == null ? null : readSource(query.source, kinds);
    return {
      texts: [...(query.select ?? []), ...(query.orderBy ?? []), ...(source?.query.texts ?? [])],
      filters: [query.properties, query.fixedProperties, source?.query.filters],
      filterTestAccounts: source?.query.filterTestAccounts ?? false,
      explain: query.explain === true,
      dates: (calendar) => source?.query.dates(calendar) ?? null,
      run: (context) => runActors(query, source, context),
    };
  },
  table: rowsTable,
});
