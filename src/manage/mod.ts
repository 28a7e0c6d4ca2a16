export { runExplain } from "./commands/explain.ts";
export { runKeys } from "./commands/keys.ts";
export { readArguments, table, usageError } from "./commands/output.ts";
export { runProjects } from "./commands/projects.ts";
export { runDemo } from "./demo/command.ts";
export type { Health, Ingestion, ManageDeps, People } from "./deps.ts";
export { managePlugin, operations } from "./plugin.ts";
export { openQueries, QUERY_QUEUE, type Queries } from "./query/queries.ts";
export { ROUTES } from "./routes.ts";
