import { beforeEach, expect, test } from "bun:test";
import { ProjectKeys } from "../../src/capture/front/projectKeys.ts";

const records = new Map<string, number>();
let isReachable = true;
let reads = 0;

const projects = {
  findByToken: async (token: string) => {
    reads++;
    await Bun.sleep(1);
    if (!isReachable) throw new Error("no records");
    const teamId = records.get(token);
    return teamId === undefined ? null : { teamId, anonymizeIps: false };
  },
};

beforeEach(() => {
  records.clear();
  records.set("good", 1);
  isReachable = true;
  reads = 0;
});

test("verdicts are remembered both ways, and read once at a time", async () => {
  const keys = new ProjectKeys(projects, 60_000, 10);
  expect(await Promise.all([keys.projectOf("good"), keys.projectOf("good")])).toMatchObject([
    { teamId: 1 },
    { teamId: 1 },
  ]);
  expect(await keys.projectOf("good")).toMatchObject({ teamId: 1 });
  expect(reads).toBe(1);
  await expect(keys.projectOf("bad")).rejects.toMatchObject({ code: "invalid_api_key" });
  await expect(keys.projectOf("bad")).rejects.toMatchObject({ code: "invalid_api_key" });
  expect(reads).toBe(2);
});

test("after their time they are read again", async () => {
  const keys = new ProjectKeys(projects, 0, 10);
  expect(await keys.projectOf("good")).toMatchObject({ teamId: 1 });
  records.delete("good");
  records.set("late", 2);
  await expect(keys.projectOf("good")).rejects.toMatchObject({ code: "invalid_api_key" });
  expect(await keys.projectOf("late")).toMatchObject({ teamId: 2 });
});

test("without records only a key seen as good goes on", async () => {
  const keys = new ProjectKeys(projects, 0, 10);
  await keys.projectOf("good");
  await keys.projectOf("bad").catch(() => {});
  isReachable = false;
  expect(await keys.projectOf("good")).toMatchObject({ teamId: 1 });
  const retryable = { code: "records_unavailable", retryable: true };
  await expect(keys.projectOf("bad")).rejects.toMatchObject(retryable);
  await expect(keys.projectOf("never seen")).rejects.toMatchObject(retryable);
  isReachable = true;
  await expect(keys.projectOf("never seen")).rejects.toMatchObject({ code: "invalid_api_key" });
});

test("made-up keys do not push out good ones", async () => {
  const keys = new ProjectKeys(projects, 60_000, 10);
  await keys.projectOf("good");
  for (let i = 0; i < 50; i++) await keys.projectOf(`bad ${i}`).catch(() => {});
  isReachable = false;
  expect(await keys.projectOf("good")).toMatchObject({ teamId: 1 });
  await expect(keys.projectOf("bad 0")).rejects.toMatchObject({ code: "records_unavailable" });
  await expect(keys.projectOf("bad 49")).rejects.toMatchObject({ code: "invalid_api_key" });
});
