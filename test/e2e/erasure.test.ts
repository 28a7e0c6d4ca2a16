import { expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const REPO = new URL("../..", import.meta.url).pathname;

/** `weir lake … --json` on the data folder of a running one. */
async function lake(weir: Weir, ...args: string[]): Promise<{ code: number; found: Record<string, unknown> }> {
  const command = [process.execPath, "src/main.ts", "lake", ...args, "--json"];
  const env = { ...process.env, WEIR_DATA_DIR: weir.dataDir };
  const child = Bun.spawn(command, { cwd: REPO, env, stdout: "pipe", stderr: "inherit" });
  const found = JSON.parse(await new Response(child.stdout).text());
  return { code: await child.exited, found };
}

test("a deleted person, group and environment are gone at once, and soon from every file", async () => {
  await using weir = await startWeir({ env: { WEIR_ERASE_MS: "0" } });
  const made = (await weir.manage("POST", "/api/projects/1/environments/", { name: "second" })).json;
  const { id: second, api_token: key } = made as { id: number; api_token: string };
  const event = (distinct_id: string) => ({ event: "seen", distinct_id, properties: { $set: { name: distinct_id } } });
  const company = { $group_type: "company", $group_key: "acme", $group_set: { plan: "x" } };
  const acme = { event: "$groupidentify", distinct_id: "else", properties: company };
  const other = await weir.post("/batch/", JSON.stringify({ api_key: key, batch: [event("x"), event("y"), acme] }));
  expect(other.status).toBe(200);
  await weir.batch([event("anon"), event("user"), event("else")]);
  await weir.batch([{ event: "$identify", distinct_id: "user", properties: { $anon_distinct_id: "anon" } }]);
  await weir.waitStored();

  const [[personId]] = (await weir.query("SELECT DISTINCT person_id FROM events WHERE distinct_id = 'anon'"))
    .results as [[string]];
  const person = `/api/environments/${weir.environmentId}/persons/${personId}/`;
  expect((await weir.manage("DELETE", `${person}?delete_events=true`)).status).toBe(202);
  expect((await weir.query("SELECT distinct_id FROM events")).results).toEqual([["else"]]);
  expect((await weir.query("SELECT properties FROM persons")).results).toEqual([['{"name":"else"}']]);
  expect((await weir.manage("DELETE", person)).status).toBe(404);
  expect((await weir.manage("DELETE", `/api/environments/${weir.environmentId}/persons/anon/`)).status).toBe(400);

  const removeGroup = async (environment: number) => {
    const group = `/api/environments/${environment}/groups/?group_type_index=0&group_key=acme`;
    return (await weir.manage("DELETE", group)).status;
  };
  expect(await removeGroup(weir.environmentId)).toBe(404);
  await weir.batch([acme, { event: "worked", distinct_id: "else", properties: { $groups: { company: "acme" } } }]);
  await weir.waitStored();
  const plans = "SELECT $group_0, group_0.properties.plan FROM events WHERE event = 'worked'";
  expect((await weir.query(plans)).results).toEqual([["acme", "x"]]);
  expect(await removeGroup(weir.environmentId)).toBe(202);
  expect((await weir.query(plans)).results).toEqual([["acme", null]]);
  expect(await removeGroup(weir.environmentId)).toBe(404);
  // That of the other environment is still there.
  await until("the other one is deleted", HANG_MS, async () => (await removeGroup(second)) === 202);

  await weir.batch([event("anon")]);
  await weir.waitStored();
  expect(
    (await weir.query("SELECT distinct_id FROM persons JOIN person_distinct_ids ON id = person_id")).results,
  ).toHaveLength(2);

  expect((await weir.manage("DELETE", `/api/projects/1/environments/${second}/`)).status).toBe(204);
  await until("nothing is left", HANG_MS, async () => (await lake(weir, "verify", "--erased")).found.waiting === 0);
  const { code, found } = await lake(weir, "verify", "--erased");
  expect(found).toMatchObject({ projects: 1, persons: 1, groups: 2, leftovers: [], unreadable: [] });
  expect(code).toBe(0);
  expect(await lake(weir, "verify")).toMatchObject({ code: 0, found: { problems: [] } });
  expect((await lake(weir)).found).toMatchObject({ projects: [{ teamId: weir.environmentId, events: 4 }] });
});
