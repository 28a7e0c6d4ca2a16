import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bucket } from "../../src/bucket/mod.ts";
import { BucketServer, type Fault } from "../support/bucketServer.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-bucket-"));
const file = join(folder, "file");
const fetched = join(folder, "fetched");
const bytes = crypto.getRandomValues(new Uint8Array(60_000));
let server: BucketServer;
let bucket: Bucket;
beforeAll(async () => {
  writeFileSync(file, bytes);
  server = await BucketServer.start();
  bucket = Bucket.at("s3://lake/a folder/ü", server);
});
afterEach(() => {
  server.faults = () => null;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The first so many requests meet it. */
function meet(fault: Fault, times: number): void {
  let met = 0;
  server.faults = () => (met++ < times ? fault : null);
}

test("a file goes there and comes back", async () => {
  const key = `${bucket.folder}x`;
  await bucket.writeFile(key, file);
  expect(await bucket.has(key)).toBe(true);
  expect(await bucket.fetchFile(key, fetched)).toBe(bytes.length);
  expect(Buffer.compare(readFileSync(fetched), bytes)).toBe(0);
  await bucket.remove(key);
  await bucket.remove(key);
  expect(await bucket.has(key)).toBe(false);
  expect(await bucket.fetchFile(key, fetched)).toBeNull();
  expect(await bucket.text(key)).toBeNull();
});

const PASSING: Fault[] = ["busy", "full", "lost", "failed late", "cut off", "slow", "page"];

describe.each(PASSING)("requests that meet: %s", (fault) => {
  test("are made again", async () => {
    const key = `${bucket.folder}${fault}`;
    meet(fault, 1);
    await bucket.writeFile(key, file);
    meet(fault, 1);
    expect(await bucket.fetchFile(key, fetched)).toBe(bytes.length);
    expect(Buffer.compare(readFileSync(fetched), bytes)).toBe(0);
    meet(fault, 1);
    await bucket.remove(key);
    expect(server.objects.has(key)).toBe(false);
  });
});

test("a list that a page stands for, or that is cut off, is asked for again", async () => {
  await bucket.writeText(`${bucket.folder}listed`, "");
  for (const fault of ["page", "cut list"] as const) {
    meet(fault, 1);
    expect((await bucket.list()).map(({ key }) => key)).toContain(`${bucket.folder}listed`);
  }
});

test("no object is taken to be missing because of a page that is", async () => {
  server.faults = () => "lost page";
  await expect(bucket.fetchFile("x", fetched)).rejects.toMatchObject({ code: "s3_refused" });
  await expect(bucket.text("x")).rejects.toMatchObject({ code: "s3_refused" });
});

test("bytes that changed on their way are fetched again", async () => {
  const key = `${bucket.folder}changed`;
  await bucket.writeFile(key, file);
  meet("changed", 1);
  await bucket.fetchFile(key, fetched);
  expect(Buffer.compare(readFileSync(fetched), bytes)).toBe(0);
});

test("an object that another program wrote has no checksum: its size alone is compared", async () => {
  await bucket.writeText("plain", "text");
  expect(await bucket.fetchFile("plain", fetched)).toBe(4);
});

test("a server that stays busy is given up with a retryable error", async () => {
  server.faults = () => "busy";
  const asked = bucket.writeFile("busy", file);
  await expect(asked).rejects.toMatchObject({
    code: "s3_unreachable",
    retryable: true,
    message: expect.stringMatching(/503.*SlowDown/),
  });
  expect(server.objects.has("busy")).toBe(false);
});

test("a refusal ends at once, and no message tells a secret", async () => {
  const { endpoint } = server;
  const refused = async (address: string, env: Record<string, string>) => {
    const error = await Bucket.at(address, { endpoint, env })
      .text("x")
      .then(
        () => null,
        (error: Error) => error,
      );
    expect(error).toMatchObject({ code: "s3_refused", retryable: false });
    expect(error!.message).not.toContain(server.secretAccessKey);
    expect(error!.message).not.toContain("X-Amz-");
    return error!.message;
  };
  expect(await refused("s3://other/", server.env)).toContain("NoSuchBucket");
  expect(await refused("s3://lake/", { ...server.env, AWS_ACCESS_KEY_ID: "nobody" })).toContain("InvalidAccessKeyId");
  expect(await refused("s3://lake/", {})).toContain("credentials");
});
