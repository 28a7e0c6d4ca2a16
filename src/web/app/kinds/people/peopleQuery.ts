import type { QueryNode } from "../../api/node.ts";

/** What is known of the events behind people, by the kind of their source (docs/queries.md, "ActorsQuery"). */
export interface Has {
  /** How many events of each person count. */
  counts: boolean;
  /** Which events these are. */
  events: boolean;
}

const INNER: Readonly<Record<string, Has>> = {
  TrendsQuery: { counts: true, events: true },
  PathsQuery: { counts: true, events: true },
  FunnelsQuery: { counts: false, events: true },
};

/** What the list of a source can tell of each person. */
export function hasOf(source: QueryNode): Has {
  const inner = (source.source as QueryNode | undefined)?.kind ?? "";
  const isOfInsight = source.kind === "InsightActorsQuery" || source.kind === "FunnelsActorsQuery";
  return (isOfInsight ? INNER[inner] : undefined) ?? { counts: false, events: false };
}

export type Order = "id" | "events" | "newest";

export interface Ask {
  source: QueryNode;
  search: string;
  order: Order;
}

const ORDERS: Readonly<Record<Order, readonly string[] | undefined>> = {
  id: undefined,
  events: ["event_count DESC"],
  newest: ["created_at DESC"],
};

/** A page of the people, as an ActorsQuery. */
export function pageNode({ source, search, order }: Ask, offset: number, limit: number): QueryNode {
  return {
    ...base(source, search),
    select: hasOf(source).counts ? ["actor", "event_count"] : ["actor"],
    ...(ORDERS[order] === undefined ? {} : { orderBy: ORDERS[order] }),
    limit,
    offset,
  };
}

/** How many people there are, and how many events of theirs count. */
export const countNode = ({ source, search }: Ask): QueryNode => ({
  ...base(source, search),
  select: hasOf(source).counts ? ["count()", "sum(event_count)"] : ["count()"],
});

/** The events of one of the people that count. */
export const eventsNode = (source: QueryNode, search: string): QueryNode => ({
  ...base(source.kind === "FunnelsActorsQuery" ? { ...source, includeRecordings: true } : source, search),
  select: ["id", "matching_events"],
  limit: 100,
});

const base = (source: QueryNode, search: string): QueryNode => ({
  kind: "ActorsQuery",
  source,
  ...(search.trim() === "" ? {} : { search: search.trim() }),
});
