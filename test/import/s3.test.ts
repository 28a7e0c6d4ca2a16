import { afterAll, beforeAll, expect, mock, spyOn, test } from "bun:test";
import crypto from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { S3Client } from "bun";
import S3rver from "s3rver";
import { type Input, inputsOf, Reader } from "../../src/import/reading/mod.ts";
import { WeirError } from "../../src/types/mod.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-import-s3-"));
const server = new S3rver({
  ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(folder, "s3") },
  configureBuckets: [{ name: "logs", configs: [] }],
});
const env = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
const { signal } = new AbortController();
let endpoint = "";
let client: S3Client;

// What the server counts on and Bun does otherwise than Node: names of a folder in order, and DES by its name for continuation
// tokens (triple DES with one key three times is the same).
const fs = createRequire(Bun.resolveSync("s3rver", import.meta.dir))("fs-extra") as typeof import("node:fs");
const { readdirSync } = fs;
spyOn(fs, "readdirSync").mockImplementation(((...o: Parameters<typeof readdirSync>) =>
  readdirSync(...o).sort()) as never);
for (const name of ["createCipheriv", "createDecipheriv"] as const) {
  const real = crypto[name] as (name: string, key: Buffer, iv: Buffer) => unknown;
  spyOn(crypto, name).mockImplementation(((cipher: string, key: Buffer, iv: Buffer) =>
    cipher === "des" ? real("des-ede3-cbc", Buffer.concat([key, key, key]), iv) : real(cipher, key, iv)) as never);
}

beforeAll(async () => {
  const { port } = await server.run();
  endpoint = `http://127.0.0.1:${port}`;
  client = new S3Client({ bucket: "logs", endpoint, accessKeyId: "S3RVER", secretAccessKey: "S3RVER" });
});
afterAll(async () => {
  mock.restore();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function linesOf(input: Input): Promise<number> {
  let lines = 0;
  const reader = new Reader(input, { format: "lines", scratch: folder, signal });
  for await (const rows of reader.rows()) for (const row of rows) lines += Number("n" in row.value());
  expect(reader.readBytes).toBe(input.sizeBytes);
  return lines;
}

test("a prefix of a bucket gives its objects by name, of any size, packed or not", async () => {
  const big = Array.from({ length: 200_000 }, (_, i) => `{"n":${i},"id":"${crypto.randomUUID()}"}`).join("\n");
  await client.write("big/a.jsonl", big);
  await client.write("big/b.jsonl.gz", gzipSync(big));
  // More than a list has in one answer.
  const small = Array.from({ length: 2_300 }, (_, i) => `many/${String(i).padStart(4, "0")}.jsonl`);
  for (let i = 0; i < small.length; i += 50) {
    await Promise.all(small.slice(i, i + 50).map((key) => client.write(key, '{"n":1}')));
  }
  const found = await inputsOf(["s3://logs/big/", "s3://logs/many/"], { endpoint, env });
  expect(found.map(({ name }) => name)).toEqual(
    ["big/a.jsonl", "big/b.jsonl.gz", ...small].map((key) => `s3://logs/${key}`),
  );
  expect(await linesOf(found[0]!)).toBe(200_000);
  expect(await linesOf(found[1]!)).toBe(200_000);
  expect(await linesOf(found.at(-1)!)).toBe(1);
  expect(await inputsOf(["s3://logs/nothing"], { endpoint, env })).toEqual([]);
});

test("wrong credentials, no bucket and no server end with a sentence", async () => {
  const failure = (address: string, how: { endpoint: string; env: Record<string, string> }) =>
    inputsOf([address], how).then(
      () => null,
      (error: unknown) => error,
    );
  const wrong = { ...env, AWS_ACCESS_KEY_ID: "nobody" };
  expect(await failure("s3://logs/big", { endpoint, env: wrong })).toBeInstanceOf(WeirError);
  expect(await failure("s3://absent/big", { endpoint, env })).toBeInstanceOf(WeirError);
  expect(await failure("s3://logs/big", { endpoint: "http://127.0.0.1:1", env })).toBeInstanceOf(WeirError);
  expect(await failure("s3://", { endpoint, env })).toBeInstanceOf(WeirError);
});
