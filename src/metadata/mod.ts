export { type Bootstrap, bootstrap, FIRST_PROJECT_ID } from "./bootstrap.ts";
export { changed, type Db, openDb, type Tx } from "./db.ts";
export * from "./environments.ts";
export * from "./insights.ts";
export * from "./personalApiKeys.ts";
export * from "./projects.ts";
export * from "./queryCache.ts";
export * from "./users.ts";
