import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { openCatalog } from "../../src/lake/catalog/catalog.ts";
import { eraseProjects } from "../../src/lake/catalog/eraseOrders.ts";
import { SqliteHandle } from "../../src/store/sqliteHandle.ts";
import { type IdentityNode, personIdOf } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { withSqlite } from "../support/stores.ts";
import { openNext } from "./everyStore.ts";

/** With rows for each person, merge, deletion or dead letter there ever was. */
const GROWING = ["actor_states", "cohort_persons", "dead_letters", "erased_persons", "erasures", "identities"];
/** Indexes over the few rows that something is still to be done about. */
const OF_FEW = ["dead_letters_waiting", "erasures_unfinished", "erasures_projects"];
const TEAM = 7;

/** The statements that `body` has SQLite prepare. */
async function statementsOf(body: () => Promise<void>): Promise<string[]> {
  const prepare = spyOn(SqliteHandle.prototype as unknown as { prepare(text: string): unknown }, "prepare");
  try {
    await body();
    return prepare.mock.calls.map(([text]) => text);
  } finally {
    prepare.mockRestore();
  }
}

/** The steps of a plan that go through all rows of a table that grows. */
function scansIn(plan: readonly string[], statement: string): string[] {
  return plan.filter((step) => {
    const name = /^SCAN (\w+)/.exec(step)?.[1];
    const grows = GROWING.some((table) => table === name || new RegExp(`\\b${table} (as )?${name}\\b`).test(statement));
    return grows && !OF_FEW.some((index) => step.endsWith(`INDEX ${index}`));
  });
}

const node = (distinctId: string, survivor: string): IdentityNode => ({
  ...{ teamId: TEAM, distinctId, personId: personIdOf(TEAM, distinctId), survivorId: personIdOf(TEAM, survivor) },
  isIdentified: false,
  moves: [],
});

test("commits, deletions, queries and compaction go through no table that has rows of all persons, merges, deletions or dead letters", async () => {
  await withSqlite(async (db, { sqlitePath }) => {
    const statements = await statementsOf(async () => {
      const catalog = openCatalog(db);
      await openNext(catalog, 1);
      const states = [{ actor: "a", teamId: TEAM, distinctId: "one", state: "1" }];
      await catalog.commit(commitOf({ states, identities: [node("one", "two"), node("two", "two")] }));
      await catalog.readStates("a", TEAM, ["one"]);
      await catalog.readIdentities(new Map([[TEAM, new Set([personIdOf(TEAM, "one")])]]));
      await catalog.ensureGroupTypes(TEAM, ["company"]);
      const order = { teamId: TEAM, accepted: { generation: 1, sequences: [] }, requestedAtMs: 1 };
      const personId = personIdOf(TEAM, "two");
      expect(await catalog.erasePerson({ ...order, personId, distinctIds: ["two"], withEvents: true })).toBe(true);
      await catalog.eraseImport({ ...order, importId: "i" });
      expect(await catalog.eraseGroup({ ...order, index: 0, key: "k" })).toBe(true);
      await db.write((tx) => eraseProjects(tx, [TEAM + 1], 1));
      expect((await catalog.waitingErasures(0))!.erasures.map(({ kind }) => kind)).toEqual([
        "person",
        "import",
        "group",
        "project",
      ]);
      await catalog.unfinishedErasures(1);
      await catalog.readSnapshot({ teamId: TEAM, fromMs: null, toMs: null });
      await catalog.dueForErasure(0);
      await catalog.lakeOverview();
      await catalog.catalogFacts(1);
      await catalog.finishErasures();
    });
    const beside = new Database(sqlitePath, { readonly: true });
    const planOf = (text: string) =>
      (beside.prepare(`explain query plan ${text}`).all() as { detail: string }[]).map(({ detail }) => detail);
    const plans = statements
      .filter((text) => /^\s*(select|insert|update|delete)\b/i.test(text))
      .map((text) => ({ text, scans: scansIn(planOf(text), text) }));
    beside.close(true);
    expect(plans.length).toBeGreaterThan(50);
    // A deleted project takes its rows along, a piece at a time.
    const isOfProject = (text: string) => /^\s*delete from "?\w+"? where "?rowid"? in/.test(text);
    expect(plans.filter(({ text, scans }) => scans.length > 0 && !isOfProject(text))).toEqual([]);
  });
});
