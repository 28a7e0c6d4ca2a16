/** A question: a node with its kind. What else it has depends on the kind (docs/queries.md). */
export interface QueryNode {
  kind: string;
  [member: string]: unknown;
}

/** What an insight asks, if it does. */
export const nodeOf = ({ query }: { query: Record<string, unknown> | null }): QueryNode | null =>
  query as QueryNode | null;

/** The answer to a question. `results` depends on the kind. */
export interface QueryAnswer {
  results: unknown;
  is_cached: boolean;
  last_refresh: string | null;
  cache_target_age: string | null;
  hogql?: string;
  timezone: string;
  [member: string]: unknown;
}
