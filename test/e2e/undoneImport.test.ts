import { expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";

const REPO = new URL("../..", import.meta.url).pathname;

test("an import that is undone leaves nothing of its events, and can be made again", async () => {
  await using weir = await startWeir({ env: { WEIR_ERASE_MS: "0" } });
  const path = `/api/projects/${weir.environmentId}/imports/`;
  const newImport = async () => {
    const made = await weir.manage("POST", path, { source: "file", origin: "a.csv", mapping_hash: "x" });
    return (made.json as { id: string }).id;
  };
  const count = async () =>
    (await weir.query("SELECT event, count() FROM events GROUP BY event ORDER BY event")).results;
  const send = (importId: string) =>
    weir.batch(
      Array.from({ length: 500 }, (_, i) => ({
        event: "imported",
        distinct_id: `user-${i % 10}`,
        uuid: `0198b0f0-0000-4000-8000-${String(i).padStart(12, "0")}`,
        timestamp: `2026-01-0${1 + (i % 9)}T12:00:00Z`,
        properties: { n: i, $import_id: importId },
      })),
    );
  const [first, second] = [await newImport(), await newImport()];
  await weir.batch([{ event: "live", distinct_id: "user-1" }]);
  await send(first);
  await weir.waitStored();
  const whole = [
    ["imported", 500],
    ["live", 1],
  ];
  expect(await count()).toEqual(whole);

  const rejectExamples = {
    no_id: [{ place: "a.csv:7", message: "There is no distinct_id.", raw: "row of a stranger" }],
  };
  await weir.manage("PATCH", `${path}${first}/`, { counts: { rows: 501, rejectExamples } });
  const { json: key } = await weir.manage("POST", "/api/personal_api_keys/", {
    ...{ label: "importer", scopes: ["batch_import:write"], level: "member" },
  });
  const refused = await fetch(`${weir.url}${path}${first}/undo/`, {
    method: "POST",
    headers: { Authorization: `Bearer ${(key as { value: string }).value}` },
  });
  expect(refused.status).toBe(403);
  expect(await count()).toEqual(whole);

  for (const _ of [1, 2]) {
    const { status, json } = await weir.manage("POST", `${path}${first}/undo/`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: first, state: "undone", finished_at: expect.any(String) });
    // Of the history no row stays, and the numbers do.
    expect((json as { counts: object }).counts).toEqual({ rows: 501 });
    expect(await count()).toEqual([["live", 1]]);
  }
  expect((await weir.manage("PATCH", `${path}${first}/`, { state: "sending" })).status).toBe(400);
  expect((await weir.manage("PATCH", `${path}${second}/`, { state: "undone" })).status).toBe(400);

  await send(second);
  await weir.waitStored();
  expect(await count()).toEqual(whole);
  const verify = async () => {
    const command = [process.execPath, "src/main.ts", "lake", "verify", "--erased", "--json"];
    const child = Bun.spawn(command, {
      cwd: REPO,
      env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
      stdout: "pipe",
    });
    return JSON.parse(await new Response(child.stdout).text());
  };
  await until("nothing is left", HANG_MS, async () => (await verify()).waiting === 0);
  expect(await verify()).toMatchObject({ imports: 2, leftovers: [], unreadable: [] });
  expect(await count()).toEqual(whole);
});
