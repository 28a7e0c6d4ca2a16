export { type DemoWish, makeDemo } from "./demo/makeDemo.ts";
export { makeProject } from "./environments/projects.ts";
export { isoTime } from "./http/reply.ts";
export { recordKey } from "./keys/resource.ts";
export { checkScopes } from "./keys/scopes.ts";
export { openQueries, QUERY_QUEUE, type Queries } from "./query/queries.ts";
export { type ExplainWish, explainQuery } from "./queryApi/explain.ts";
export { managePlugin, operations, ROUTES } from "./routes.ts";
export type { Health, Ingestion, ManageDeps, People } from "./serve/deps.ts";
