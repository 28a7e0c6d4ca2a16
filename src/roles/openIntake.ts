import type { Config } from "../config.ts";
import { DiskGuard } from "../intake/disk.ts";
import { Intake } from "../intake/intake.ts";
import { type Catalog, openCatalog } from "../lake/mod.ts";
import type { Db } from "../store/mod.ts";
import { type Bus, connectBus } from "../stream/mod.ts";
import { logger } from "./log.ts";
import { openExistingRecords } from "./paths.ts";
import { brokerAddress } from "./urls.ts";

/** What a process holds that takes events in. */
interface IntakeSide {
  db: Db;
  catalog: Catalog;
  bus: Bus;
  intake: Intake;
}

/**
 * Opens the records, the broker and the intake of a role, and starts the intake. What ends each goes to `stops` at once, so
 * that a failure halfway leaves nothing open. `purges`: as `IntakeParts`.
 */
export async function openIntake(
  config: Config,
  { role, purges, stops }: { role: string; purges: boolean; stops: (() => unknown)[] },
): Promise<IntakeSide> {
  const db = await openExistingRecords(config);
  stops.push(() => db.close());
  const bus = await connectBus(brokerAddress(config), { name: `weir-${role}` });
  stops.push(() => bus.close());
  const catalog = openCatalog(db);
  const disk = new DiskGuard(config.dataDir, config.diskMinFreeBytes);
  const intake = new Intake({ config, bus, catalog, disk, purges, log: logger(role) });
  stops.push(() => intake.close());
  await intake.start();
  return { db, catalog, bus, intake };
}
