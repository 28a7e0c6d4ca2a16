import { Compactor, LocalStore, openCatalog } from "../../src/lake/mod.ts";
import { openDb } from "../../src/schema.ts";

/** `dyingCompactor.ts <data folder> <holder> <config as JSON>`: a compactor whose process dies in its first job. */
const [data, holder, config] = process.argv.slice(2);
const db = await openDb({ databaseUrl: null, sqlitePath: `${data}/weir.db` });
const catalog = openCatalog(db);
const compactor = new Compactor({
  config: JSON.parse(config!),
  catalog: {
    ...catalog,
    registerPending: async () => {
      process.kill(process.pid, "SIGKILL");
    },
  },
  storage: new LocalStore(`${data}/lake`),
  holder: holder!,
  log: () => {},
});
await compactor.step();
