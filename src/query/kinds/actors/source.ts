import type { JsonObject } from "../../../types/mod.ts";
import type { PlaceholderValue } from "../../hogql/compile/scope.ts";
import { alias, field, from, select } from "../../hogql/syntax/build.ts";
import { checkGrowth } from "../../hogql/syntax/growth.ts";
import { parser } from "../../hogql/syntax/parse.ts";
import type { Expression, Query, Select } from "../../hogql/syntax/tree.ts";
import { inside, invalidQuery, notSupported } from "../../shape/errors.ts";
import { asObject, check, shown } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import type { HogqlQuery } from "../hogql/node.ts";
import { HogqlSchema } from "../hogql/node.ts";
import { placeholdersOf } from "../hogql/placeholders.ts";
import type { ActorRows, Kind, ReadActors, ReadQuery } from "../kind.ts";

/** Nodes that name a part of an insight's answer. */
const PARTS: ReadonlySet<unknown> = new Set([
  "InsightActorsQuery",
  "FunnelsActorsQuery",
  "StickinessActorsQuery",
  "FunnelCorrelationActorsQuery",
]);

/** Where the insight stands. */
export const INSIGHT_PLACE = "source.source";

/** Where the actors come from: a part of an insight, or a query. */
export interface Source {
  /** The query that they are behind, for its dates and filters. */
  query: ReadQuery;
  find(context: QueryContext): Promise<FoundActors>;
}

export interface FoundActors {
  /** Null for all persons. */
  rows: ActorRows | null;
  /** What stands for the placeholders in them. */
  placeholders: ReadonlyMap<string, PlaceholderValue>;
}

export const ALL_PERSONS: FoundActors = { rows: null, placeholders: new Map() };

/** The source of an ActorsQuery. Errors: TerminalError `invalid_query` that names the place. */
export function readSource(node: JsonObject, kinds: readonly Kind[]): Source {
  if (node.kind === "HogQLQuery") return hogqlSource(node, kinds);
  const { query, actors } = readInsight(node, kinds);
  const { source: _, ...part } = node;
  return {
    query: { ...query, filters: [query.filters, part] },
    find: async (context) => {
      const rows = await inside(INSIGHT_PLACE, () => actors.behind(node, context));
      return { rows: { ...rows, query: { ...rows.query, place: INSIGHT_PLACE } }, placeholders: new Map() };
    },
  };
}

/** The insight inside of a node that names a part of its answer. Errors: TerminalError `invalid_query`. */
export function readInsight(part: JsonObject, kinds: readonly Kind[]): { query: ReadQuery; actors: ReadActors } {
  if (!PARTS.has(part.kind)) throw notSupported("source.kind", `the source ${shown(part.kind)}`);
  const insight = asObject(part.source ?? null, INSIGHT_PLACE);
  const kind = kinds.find(({ name }) => name === insight.kind);
  const query = inside(INSIGHT_PLACE, () => kind?.read(insight));
  if (query?.actors === undefined) throw notSupported("source.source.kind", `actors of ${shown(insight.kind)}`);
  return { query, actors: query.actors };
}

/** Actors by a query of their ids. */
function hogqlSource(node: JsonObject, kinds: readonly Kind[]): Source {
  const asked: HogqlQuery = check(HogqlSchema, node, "source");
  const query = kinds.find(({ name }) => name === "HogQLQuery")!.read(node);
  return {
    query,
    find: async (context) => {
      const tree = await parser.parse(asked.query, context);
      checkGrowth(tree);
      return { rows: rowsOf(tree), placeholders: inside("source", () => placeholdersOf(asked, context)) };
    },
  };
}

/** The column of the ids: by one of PostHog's names for it, else the first whose name has `id` in it. */
function rowsOf(tree: Query): ActorRows {
  const names = firstOf(tree).select.map(nameOf);
  const known = names.find((name) => name === "group_key" || name === "actor_id" || name === "person_id");
  const id = known ?? names.find((name) => name?.includes("id"));
  if (id == null) throw invalidQuery("source.query", "must have a column of the ids of persons, named actor_id");
  const rows = select([alias("actor_id", field(id))], { distinct: true, select_from: from(tree, "ids") });
  return { query: rows, group: null, columns: [] };
}

const firstOf = (tree: Query): Select => (tree.node === "SelectQuery" ? tree : firstOf(tree.initial_select_query));

function nameOf(column: Expression): string | null {
  if (column.node === "Alias") return column.alias;
  return column.node === "Field" ? String(column.chain.at(-1)) : null;
}
