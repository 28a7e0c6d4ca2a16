import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bucket } from "../../src/bucket/mod.ts";
import { BucketStore, draftPath, type SegmentFile } from "../../src/lake/storage/mod.ts";
import { BucketServer, type Fault } from "../support/bucketServer.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { tempFolder } from "./support.ts";

const DAY_MS = 86_400_000;
const folder = tempFolder();
const server = await BucketServer.start();
afterEach(() => {
  server.faults = () => null;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder.dispose();
});

/** A machine: a data folder of its own, with the bucket of all. */
class Machine {
  readonly directory = join(folder.path, crypto.randomUUID());
  readonly stores: BucketStore[] = [];

  constructor(private readonly maxBytes = 1 << 20) {
    mkdirSync(join(this.directory, "work"), { recursive: true });
  }

  /** Of a process of it. */
  open(isShared = true): BucketStore {
    return new BucketStore({
      bucket: Bucket.at("s3://lake/segments", server),
      workDirectory: join(this.directory, "work"),
      cache: { directory: join(this.directory, "cache"), maxBytes: this.maxBytes, isShared },
      log: (message) => {
        throw new Error(message);
      },
    });
  }

  get kept(): string[] {
    return readdirSync(join(this.directory, "cache", "files")).sort();
  }
}

async function publish(store: BucketStore, sizeBytes = 1_000): Promise<SegmentFile> {
  const file: SegmentFile = { id: crypto.randomUUID(), part: "rows" };
  writeFileSync(draftPath(store.workDirectory, file), crypto.getRandomValues(new Uint8Array(sizeBytes)));
  await store.publish([file]);
  return file;
}

const gets = () => server.seen.GET ?? 0;
const holding = (store: BucketStore, files: readonly SegmentFile[], body = async () => {}) =>
  store.hold(
    files.map((file) => store.locate(file)),
    body,
  );

test("a file is fetched once by a machine, and read by all its processes", async () => {
  const file = await publish(new Machine().open());
  const machine = new Machine();
  const [one, two] = [machine.open(), machine.open()];
  const before = gets();
  await Promise.all([holding(one, [file, file]), holding(one, [file])]);
  await holding(two, [file]);
  await machine
    .open()
    .read(machine.open().locate(file))
    .catch(() => {});
  expect(gets() - before).toBe(1);
  expect([readdirSync(one.directory), readdirSync(two.directory)]).toEqual([[], []]);
  expect(machine.kept).toEqual([`${file.id}.parquet`]);
});

test("two processes that fetch the same file at once both have it whole", async () => {
  const file = await publish(new Machine().open(), 100_000);
  const machine = new Machine();
  const stores = Array.from({ length: 4 }, () => machine.open());
  server.faults = ({ method }) => (method === "GET" ? "slow" : null);
  const sizes = await Promise.all(stores.map(async (store) => (await store.read(store.locate(file))).length));
  expect(sizes).toEqual([100_000, 100_000, 100_000, 100_000]);
  expect(machine.kept).toHaveLength(1);
});

test("what was published here is not fetched", async () => {
  const store = new Machine().open();
  const before = gets();
  await holding(store, [await publish(store)]);
  expect(gets()).toBe(before);
});

test("the longest unused files go first, and none that is held", async () => {
  const machine = new Machine(10_000);
  const [store, other] = [machine.open(), machine.open()];
  const held = await publish(store, 3_000);
  await other.cache.tidy(Date.now());
  await holding(other, [held], async () => {
    const old = await publish(store, 3_000);
    const used = await publish(store, 3_000);
    await Bun.sleep(20);
    await holding(store, [used]);
    await store.cache.tidy(Date.now());
    const newest = await publish(store, 3_000);
    await until("room to be made", HANG_MS, async () => {
      await store.cache.tidy(Date.now());
      return machine.kept.length === 3;
    });
    expect(machine.kept).toEqual([held, used, newest].map(({ id }) => `${id}.parquet`).sort());
    expect(old.id).not.toBe(used.id);
    await store.cache.drop(`${held.id}.parquet`);
    expect((await Bun.file(other.locate(held)).bytes()).length).toBe(3_000);
  });
});

test("more than the cache may have is refused with a name", async () => {
  const machine = new Machine(5_000);
  const store = machine.open();
  const files = [await publish(store, 3_000), await publish(store, 3_000)];
  await expect(holding(store, files)).rejects.toMatchObject({ code: "store_cache_too_small", retryable: false });
  await holding(store, [files[0]!], async () => {
    await expect(holding(store, [files[1]!])).rejects.toMatchObject({ code: "store_cache_full", retryable: true });
  });
  await holding(store, [files[1]!]);
});

test("what was not used for a day goes, and what dead processes held", async () => {
  const machine = new Machine();
  const store = machine.open();
  await publish(store);
  const dead = join(machine.directory, "cache", "held", "999999999-abc");
  mkdirSync(dead);
  utimesSync(dead, new Date(0), new Date(0));
  await store.cache.tidy(Date.now());
  expect([machine.kept.length, existsSync(dead)]).toEqual([1, false]);
  await store.cache.tidy(Date.now() + 2 * DAY_MS);
  expect(machine.kept).toEqual([]);
});

test("drafts of processes that are gone go", async () => {
  const machine = new Machine();
  const [old, young] = ["old", "young"].map((id) => draftPath(join(machine.directory, "work"), { id, part: "rows" }));
  for (const path of [old!, young!]) writeFileSync(path, "");
  utimesSync(old!, new Date(0), new Date(0));
  machine.open();
  await until("the old draft to go", HANG_MS, () => !existsSync(old!));
  expect(existsSync(young!)).toBe(true);
});

test("a store that is not shared reads the bucket and keeps nothing", async () => {
  const machine = new Machine();
  const file = await publish(machine.open());
  const check = machine.open(false);
  const before = gets();
  await holding(check, [file]);
  await holding(check, [file]);
  expect(gets() - before).toBe(2);
  server.objects.delete(`segments/${file.id}.parquet`);
  await expect(holding(check, [file])).rejects.toMatchObject({ code: "segment_missing" });
  await holding(machine.open(), [file]);
});

const FAULTS: Fault[] = ["busy", "full", "lost", "failed late", "cut off"];
const slugOf = (fault: Fault): string => fault.replace(" ", "-");

test("a publish that meets faults throws or is whole, and may be tried again", async () => {
  server.faults = ({ key }) => FAULTS.find((fault) => key.includes(slugOf(fault))) ?? null;
  const met = FAULTS.map(async (fault) => {
    const machine = new Machine();
    const store = machine.open();
    const ids = ["sound", slugOf(fault)].map((name) => `${name}-${crypto.randomUUID()}`);
    const files = ids.map((id): SegmentFile => ({ id, part: "rows" }));
    const drafts = files.map((file) => draftPath(store.workDirectory, file));
    for (const draft of drafts) writeFileSync(draft, "rows");
    // `rejects` would wait for one after the other.
    const error = await store.publish(files).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "s3_unreachable", retryable: true });
    expect(drafts.some((draft) => existsSync(draft))).toBe(false);
    return { machine, store, files, drafts };
  });
  const tries = await Promise.all(met);
  // Two of the faults store what they do not acknowledge: whole, as all objects.
  const { objects } = server;
  const left = FAULTS.filter((fault) => [...objects.keys()].some((key) => key.includes(slugOf(fault))));
  expect(left).toEqual(["lost", "failed late"]);
  server.faults = () => null;
  for (const { machine, store, files, drafts } of tries) {
    for (const draft of drafts) writeFileSync(draft, "rows");
    await store.publish(files);
    for (const file of files) expect(Buffer.from(await store.read(store.locate(file))).toString()).toBe("rows");
    for (const { id } of files) await store.remove(id);
    expect(machine.kept).toEqual([]);
    await expect(store.read(store.locate(files[0]!))).rejects.toMatchObject({ code: "segment_missing" });
  }
});

test("who waits for a file is told when the time is over, and the file still comes", async () => {
  const file = await publish(new Machine().open());
  const machine = new Machine();
  const store = machine.open();
  server.faults = ({ method }) => (method === "GET" ? "slow" : null);
  const over = new AbortController();
  const held = store.hold([store.locate(file)], async () => {}, { signal: over.signal });
  over.abort(new Error("too late"));
  await expect(held).rejects.toThrow("too late");
  await until("the file to come", HANG_MS, () => machine.kept.length === 1);
  await until("its link to go", HANG_MS, () => readdirSync(store.directory).length === 0);
});
