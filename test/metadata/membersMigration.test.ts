import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessOf } from "../../src/metadata/mod.ts";
import { MIGRATIONS, openDb } from "../../src/schema.ts";
import { openStore } from "../../src/store/mod.ts";
import { findPostgres, startPostgres } from "../support/postgres.ts";

const before = MIGRATIONS.filter(({ name }) => name < "030_");
const SAID = JSON.stringify({ level: "viewer", setBy: 1, createdAtMs: 5, updatedAtMs: 7 });
const TEXT = { description: "", filters: "{}", variables: "{}", tags: "[]", search_text: "" };
const TIMES = { created_at_ms: 1, updated_at_ms: 1 };

async function staysAsItWas(target: Parameters<typeof openDb>[0]): Promise<void> {
  const old = await openStore(target, { migrations: before, mustExist: false });
  await old.write(async (tx) => {
    const board = { ...TEXT, ...TIMES, team_id: 1, pinned: 0, deleted: 0, last_modified_at_ms: 1, access: SAID };
    const object = { team_id: 1, description: "", content: "{}", deleted: 0, search_text: "", ...TIMES };
    const environment = { project_id: 1, timezone: "UTC", settings: "{}", ...TIMES };
    await tx`insert into dashboards ${tx(board)}`;
    for (const kind of ["cohort", "action"])
      await tx`insert into project_objects ${tx({ ...object, kind, access: SAID })}`;
    for (const id of [1, 2]) {
      const access = id === 1 ? null : SAID.replace("viewer", "none");
      await tx`insert into environments ${tx({ ...environment, id, uuid: `u${id}`, api_token: `t${id}`, name: "n", access })}`;
    }
  });
  await old.close();
  const db = await openDb(target);
  const said = (resource: "insight" | "dashboard" | "cohort" | "action" | "project", id: number, teamId = 1) =>
    db.read((tx) => accessOf(tx, { teamId, resource, resourceId: id }));
  const forAll = { userId: null, roleId: null, level: "viewer", setBy: 1, createdAtMs: 5, updatedAtMs: 7 } as const;
  expect(await said("dashboard", 1)).toEqual([{ ...forAll, teamId: 1, resource: "dashboard", resourceId: 1 }]);
  expect(await said("cohort", 1)).toEqual([{ ...forAll, teamId: 1, resource: "cohort", resourceId: 1 }]);
  expect(await said("action", 2)).toEqual([{ ...forAll, teamId: 1, resource: "action", resourceId: 2 }]);
  expect(await said("project", 2, 2)).toMatchObject([{ level: "none", resourceId: 2 }]);
  expect([...(await said("project", 1)), ...(await said("insight", 1)), ...(await said("cohort", 2))]).toEqual([]);
  await db.close();
}

test("levels for all members stay as they were", async () => {
  const dir = mkdtempSync(join(tmpdir(), "weir-migration-"));
  try {
    await staysAsItWas({ databaseUrl: null, sqlitePath: join(dir, "weir.db") });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test.skipIf(findPostgres() === null)("and in PostgreSQL", async () => {
  const server = await startPostgres();
  try {
    await staysAsItWas({ databaseUrl: await server.createDatabase(), sqlitePath: "" });
  } finally {
    await server.stop();
  }
});
