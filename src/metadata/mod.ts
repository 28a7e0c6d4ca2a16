export { changed, type Db, openDb, type Tx } from "./db.ts";
