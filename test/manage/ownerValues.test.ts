import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
let lake: StoredLake;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  const plans = ["Pro", "Pro", "free", "professional", 5, true, ["a", "b"], "x'; drop table persons; --"];
  await lake.store(1, {
    events: [{ event: "seen", distinctId: "none", timestampMs: server.nowMs }],
    persons: [
      ...plans.map((plan, i) => ({ distinctIds: [`p${i}`], properties: { plan } })),
      { distinctIds: ["none"], properties: { other: 1 } },
      ...Array.from({ length: 30 }, (_, i) => ({ distinctIds: [`many${i}`], properties: { many: `value ${i % 25}` } })),
    ],
    groups: [
      { index: 0, key: "a", properties: { plan: "big" } },
      { index: 0, key: "b", properties: { plan: "big" } },
      { index: 0, key: "c", properties: { plan: "small" } },
      { index: 1, key: "d", properties: { plan: "other" } },
    ],
  });
  await lake.store(2, {
    events: [{ event: "seen", distinctId: "x", timestampMs: server.nowMs }],
    persons: [{ distinctIds: ["x"], properties: { plan: "secret" } }],
    groups: [],
  });
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});

const get = async (path: string) => {
  const { status, json } = await server.send("GET", `/api/projects/1/${path}`);
  return { status, json: json as unknown };
};
const pairs = async (path: string) =>
  ((await get(path)).json as { name: string; count: number }[]).map(({ name, count }) => [name, count]);

describe("values of a property", () => {
  test("of persons: the most frequent first, with how many", async () => {
    expect(await pairs("persons/values/?key=plan")).toEqual([
      ["Pro", 2],
      ["5", 1],
      ['["a","b"]', 1],
      ["free", 1],
      ["professional", 1],
      ["true", 1],
      ["x'; drop table persons; --", 1],
    ]);
  });

  test("of persons: those with a part, in any case", async () => {
    expect(await pairs("persons/values/?key=plan&value=PRO")).toEqual([
      ["Pro", 2],
      ["professional", 1],
    ]);
    expect(await pairs(`persons/values/?key=plan&value=${encodeURIComponent("'; drop")}`)).toEqual([
      ["x'; drop table persons; --", 1],
    ]);
  });

  test("are at most twenty, and none without a key or for one that there is not", async () => {
    const many = await pairs("persons/values/?key=many");
    expect(many).toHaveLength(20);
    expect(many.slice(0, 6).map(([, count]) => count)).toEqual([2, 2, 2, 2, 2, 1]);
    for (const path of ["persons/values/", "persons/values/?key=", "persons/values/?key=nothing"])
      expect(await get(path)).toEqual({ status: 200, json: [] });
  });

  test("of groups of one type", async () => {
    expect(await pairs("groups/property_values/?group_type_index=0&key=plan")).toEqual([
      ["big", 2],
      ["small", 1],
    ]);
    expect(await pairs("groups/property_values/?group_type_index=0&key=plan&value=SM")).toEqual([["small", 1]]);
    expect(await pairs("groups/property_values/?group_type_index=1&key=plan")).toEqual([["other", 1]]);
    expect((await get("groups/property_values/?key=plan")).json).toMatchObject({
      attr: "group_type_index",
      code: "required",
    });
  });
});
