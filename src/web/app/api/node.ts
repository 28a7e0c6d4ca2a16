/** A question: a node with its kind. What else it has depends on the kind (docs/queries.md). */
export interface QueryNode {
  kind: string;
  [member: string]: unknown;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isNode = (value: unknown): value is QueryNode => isObject(value) && typeof value.kind === "string";

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
