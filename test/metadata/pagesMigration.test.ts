import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDashboard, createInsight, findSharedLink, tilesOfDashboard } from "../../src/metadata/mod.ts";
import { MIGRATIONS, openDb } from "../../src/schema.ts";
import { openStore } from "../../src/store/mod.ts";

const before = MIGRATIONS.filter(({ name }) => name < "019_");
const MADE = { teamId: 1, userId: 1, nowMs: 1 };
const COMMON = { name: "n", deleted: false, filters: {}, tags: [] };

test("links to insights and tiles stay as they were, with their ids", async () => {
  const dir = mkdtempSync(join(tmpdir(), "weir-migration-"));
  const target = { databaseUrl: null, sqlitePath: join(dir, "weir.db") };
  try {
    const old = await openStore(target, { migrations: before, mustExist: false });
    const content = {
      insight: {
        ...COMMON,
        derivedName: null,
        description: null,
        query: null,
        order: null,
        saved: true,
        favorited: false,
        isSample: false,
      },
      dashboard: { ...COMMON, description: "", pinned: false, variables: {} },
    };
    await old.write(async (tx) => {
      await createInsight(tx, { ...MADE, content: content.insight });
      await createDashboard(tx, { ...MADE, content: content.dashboard });
      await tx`insert into insight_sharing values (1, 1, 1, 'kept', 5)`;
      await tx`insert into dashboard_tiles values (7, 1, 1, 0, '{"sm":{"x":1}}', 'blue')`;
    });
    await old.close();
    const db = await openDb(target);
    const link = {
      kind: "insight",
      itemId: 1,
      teamId: 1,
      enabled: true,
      viewerDates: false,
      annotations: true,
      createdAtMs: 5,
    } as const;
    expect(await db.read((tx) => findSharedLink(tx, "kept"))).toEqual({ ...link, accessToken: "kept" });
    const tile = { id: 7, dashboardId: 1, insightId: 1, text: null, deleted: false, color: "blue" };
    expect(await db.read((tx) => tilesOfDashboard(tx, 1))).toEqual([{ ...tile, layouts: { sm: { x: 1 } } }]);
    await db.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
