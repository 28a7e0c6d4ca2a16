import { beforeEach, expect, test } from "bun:test";
import { ProjectKeys } from "../../src/capture/projectKeys.ts";

const records = new Map<string, number>();
let isReachable = true;
let reads = 0;

const projects = {
  findByToken: async (token: string) => {
    reads++;
    await Bun.sleep(1);
    if (!isReachable) throw new Error("no records");
    const teamId = records.get(token);
    return teamId === undefined ? null : { teamId };
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
  expect(await Promise.all([keys.teamOf("good"), keys.teamOf("good")])).toEqual([1, 1]);
  expect(await keys.teamOf("good")).toBe(1);
  expect(reads).toBe(1);
  await expect(keys.teamOf("bad")).rejects.toMatchObject({ code: "invalid_api_key" });
  await expect(keys.teamOf("bad")).rejects.toMatchObject({ code: "invalid_api_key" });
  expect(reads).toBe(2);
});

test("after their time they are read again", async () => {
  const keys = new ProjectKeys(projects, 0, 10);
  expect(await keys.teamOf("good")).toBe(1);
  records.delete("good");
  records.set("late", 2);
  await expect(keys.teamOf("good")).rejects.toMatchObject({ code: "invalid_api_key" });
  expect(await keys.teamOf("late")).toBe(2);
});

test("without records only a key seen as good goes on", async () => {
  const keys = new ProjectKeys(projects, 0, 10);
  await keys.teamOf("good");
  await keys.teamOf("bad").catch(() => {});
  isReachable = false;
  expect(await keys.teamOf("good")).toBe(1);
  const retryable = { code: "records_unavailable", retryable: true };
  await expect(keys.teamOf("bad")).rejects.toMatchObject(retryable);
  await expect(keys.teamOf("never seen")).rejects.toMatchObject(retryable);
  isReachable = true;
  await expect(keys.teamOf("never seen")).rejects.toMatchObject({ code: "invalid_api_key" });
});

test("made-up keys do not push out good ones", async () => {
  const keys = new ProjectKeys(projects, 60_000, 10);
  await keys.teamOf("good");
  for (let i = 0; i < 50; i++) await keys.teamOf(`bad ${i}`).catch(() => {});
  isReachable = false;
  expect(await keys.teamOf("good")).toBe(1);
  await expect(keys.teamOf("bad 0")).rejects.toMatchObject({ code: "records_unavailable" });
  await expect(keys.teamOf("bad 49")).rejects.toMatchObject({ code: "invalid_api_key" });
});
