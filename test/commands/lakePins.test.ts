import { expect, test } from "bun:test";
import { readPin } from "../../src/commands/lakePins.ts";
import { openCatalog } from "../../src/lake/mod.ts";
import { bootstrap } from "../../src/metadata/mod.ts";
import { withSqlite } from "../support/stores.ts";

test("an operator pins properties and takes it back; what cannot be is refused in words", async () => {
  await withSqlite(async (db) => {
    await bootstrap(db, { projectApiKey: null, personalApiKey: null }, Date.now());
    const catalog = openCatalog(db);
    const run = async (action: "pin" | "unpin", ...words: string[]) => (await readPin(action, words)(db)).text;

    expect(await run("pin", "1", "plan")).toContain('"plan" of project 1 is pinned');
    expect(await run("pin", "1", "Amount", "double")).toContain("is pinned");
    expect(await catalog.wantedColumns()).toEqual([
      { teamId: 1, key: "Amount", type: "DOUBLE" },
      { teamId: 1, key: "plan", type: null },
    ]);
    expect(await run("unpin", "1", "Amount")).toContain("is no longer pinned");
    expect(await run("unpin", "1", "Amount")).toContain("was not pinned");
    expect(await run("pin", "1", "")).toContain('"" of project 1 is pinned');
    expect(await run("unpin", "1", "")).toContain("is no longer pinned");
    await catalog.growLayout(1, [{ key: "plan", type: "VARCHAR" }]);
    expect(await run("pin", "1", "plan")).toContain("has a column already: p0 VARCHAR");

    const refused = [
      ["x", "plan"],
      ["1"],
      [],
      ["", "a"],
      ["1", "a", "VARCHAR", "b"],
      ["1", "a", "text"],
      ["1", "k".repeat(201)],
      ["1", "$import_id"],
    ];
    for (const argv of refused) await expect(run("pin", ...argv)).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(run("unpin", "1", "plan", "VARCHAR")).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(run("pin", "9", "a")).rejects.toMatchObject({ code: "not_found" });
    const many = Array.from({ length: 99 }, (_, i) => ({ key: `k${i}`, type: "VARCHAR" as const }));
    await catalog.growLayout(1, many, { isAsked: true });
    await expect(run("pin", "1", "a")).rejects.toMatchObject({ code: "layout_full" });
  });
});
