import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CDNOW_FACTS } from "../support/cdnow.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { expectCdnowFigures, expectReconciled, importCdnow } from "./cdnowFigures.ts";

/** The main job on real data, in one history: each test goes on from the one before. */
describe.each(["SQLite", "PostgreSQL"])("69,659 real purchases, records in %s", (store) => {
  let weir: Weir;
  let postgres: PostgresServer | null = null;
  beforeAll(async () => {
    if (store === "PostgreSQL") postgres = await startPostgres();
    weir = await startWeir({ env: postgres === null ? {} : { DATABASE_URL: postgres.url } });
  });
  afterAll(async () => {
    await weir[Symbol.asyncDispose]();
    await postgres?.stop();
  });

  test("give their known figures", async () => {
    await importCdnow(weir);
    expectReconciled(await weir.ingestionStatus());
    const status = await weir.waitStored();
    expect(status).toMatchObject({
      accepted: CDNOW_FACTS.events,
      stored: CDNOW_FACTS.events,
      duplicates: 0,
      dropped: 0,
    });
    await expectCdnowFigures(weir);
  });

  test("are counted once when the import is sent again at once", async () => {
    await importCdnow(weir);
    const status = await weir.waitStored();
    expect(status).toMatchObject({ accepted: 2 * CDNOW_FACTS.events, duplicates: CDNOW_FACTS.events });
    await expectCdnowFigures(weir);
  });

  test("are all there after stop and start", async () => {
    const before = await weir.ingestionStatus();
    await weir.restart();
    expect(await weir.ingestionStatus()).toEqual(before);
    await expectCdnowFigures(weir);
  });

  test("are counted once when the import is sent again after a restart", async () => {
    await importCdnow(weir);
    const status = await weir.waitStored();
    expectReconciled(status);
    expect(status).toMatchObject({ accepted: 3 * CDNOW_FACTS.events, stored: CDNOW_FACTS.events });
    await expectCdnowFigures(weir);
  });

  test("stand in few files", async () => {
    const live = Number((await (await fetch(`${weir.url}/metrics`)).text()).match(/^weir_segments_live (\d+)$/m)?.[1]);
    expect(live).toBeGreaterThan(0);
    expect(live).toBeLessThan(200);
  });
});
