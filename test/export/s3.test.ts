import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import S3rver from "s3rver";
import { S3_DESTINATIONS } from "../../src/export/destinations/s3/mod.ts";
import type { DestinationEnv, Part, RunRange } from "../../src/export/model.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { endless } from "./rows.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-s3-"));
const ENV: DestinationEnv = { folder, allowedFolders: [], allowPrivate: true, log: () => {} };
const RANGE: RunRange = {
  exportId: "0198b0f0-0000-7000-8000-000000000001",
  teamId: 1,
  model: "events",
  fromMs: Date.UTC(2026, 0, 1),
  toMs: Date.UTC(2026, 0, 1, 1),
};
const NEVER = new AbortController().signal;
const [s3] = S3_DESTINATIONS;
const server = new S3rver({
  ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(folder, "s3") },
  configureBuckets: [{ name: "weir", configs: [] }],
});
let endpoint = "";

beforeAll(async () => {
  const { port } = await server.run();
  endpoint = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const config = (more: Record<string, unknown> = {}) => ({
  ...{ bucket_name: "weir", region: "us-east-1", prefix: "out/{year}/{table}", endpoint_url: endpoint },
  ...{ aws_access_key_id: "S3RVER", aws_secret_access_key: "S3RVER" },
  ...{ file_format: "JSONLines", compression: "gzip", max_file_size_mb: 1 },
  ...more,
});

function part(number: number, text: string): Part {
  const path = join(folder, `part-${number}`);
  writeFileSync(path, text);
  return { number, path, bytes: Buffer.byteLength(text), records: 1 };
}

/** What the bucket has, by key. */
function objects(): Record<string, string> {
  const root = join(folder, "s3", "weir");
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("_object"));
  const read = (name: string) => [name.slice(0, -"._S3rver_object".length), readFileSync(join(root, name), "utf8")];
  return Object.fromEntries(names.sort().map(read));
}

async function run(texts: readonly string[], more: Record<string, unknown> = {}, range = RANGE): Promise<void> {
  const open = await s3!.open(config(more), range, ENV);
  for (const [i, text] of texts.entries()) expect(await open.put(part(i, text), NEVER)).toBe(Buffer.byteLength(text));
  await open.finish(texts.length, NEVER);
  await open.close();
}

/** What the bucket has, once it is what it should be: the server answers before a body is in its file, and the old one stays until then. */
const settled = (what: string, isRight: (found: Record<string, string>) => boolean) =>
  until(what, HANG_MS, () => {
    const found = objects();
    return isRight(found) ? found : null;
  });

const BASE = "out/2026/events/2026-01-01T00:00:00+00:00-2026-01-01T01:00:00+00:00";

/** Whether these are the parts of a run, in order, with the manifest that names them. */
function isRun(found: Record<string, string>, texts: readonly string[]): boolean {
  const names = Object.keys(found);
  const parts = names.slice(0, -1);
  const areNamed = parts.every((name, i) => name.startsWith(BASE) && name.endsWith(`-${i}.jsonl.gz`));
  const wanted = [...texts, JSON.stringify({ files: parts })];
  return areNamed && isDeepStrictEqual(Object.values(found), wanted);
}

test("parts become objects with a manifest; a shorter try removes what a longer one left, and no other run's", async () => {
  const other = { ...RANGE, exportId: "another" };
  await run(["x"], {}, other);
  const others = await settled("the other run", (found) => isRun(found, ["x"]));
  const own = (found: Record<string, string>) =>
    Object.fromEntries(Object.entries(found).filter(([name]) => !(name in others)));
  await run(["one", "two", "three"]);
  await settled("three parts", (found) => isRun(own(found), ["one", "two", "three"]));
  await run(["uno", "dos"]);
  const found = await settled("two parts", (found) => isRun(own(found), ["uno", "dos"]));
  expect(found).toMatchObject(others);
});

test("the test writes and removes an object", async () => {
  const before = objects();
  const open = await s3!.open(config(), RANGE, ENV);
  await open.test!(NEVER);
  expect(objects()).toEqual(before);
});

describe("a problem that stays", () => {
  test.each([
    ["an unknown key", { aws_access_key_id: "nobody" }, /InvalidAccessKeyId/],
    ["a bucket that is not there", { bucket_name: "other" }, /NoSuchBucket/],
  ])("%s", async (_, more, message) => {
    await expect(run(["x"], more)).rejects.toMatchObject({
      code: "destination_refused",
      retryable: false,
      message: expect.stringMatching(message),
    });
  });

  test("a secret that the bucket refuses", async () => {
    // The server above does not check signatures of this version.
    const body = "<Error><Code>SignatureDoesNotMatch</Code><Message>Check your key.</Message></Error>";
    using double = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body, { status: 403 }) });
    await expect(run(["x"], { endpoint_url: `http://127.0.0.1:${double.port}` })).rejects.toMatchObject({
      code: "destination_refused",
      message: "The bucket answered 403: SignatureDoesNotMatch (Check your key.)",
    });
  });

  test("a refusal of which no end comes", async () => {
    using double = endless(403);
    await expect(run(["x"], { endpoint_url: double.url })).rejects.toMatchObject({
      code: "destination_refused",
      message: "The bucket answered 403",
    });
    await until("the end of the answer", HANG_MS, () => double.seen.ended === 1);
  });

  test("a private host, where none is allowed", async () => {
    const open = await s3!.open(config(), RANGE, { ...ENV, allowPrivate: false });
    await expect(open.put(part(0, "x"), NEVER)).rejects.toMatchObject({ code: "host_not_allowed", retryable: false });
  });

  test.each([
    [{ encryption: "AES256" }, "encryption"],
    [{ bucket_name: "" }, "bucket_name"],
    [{ file_format: "CSV" }, "file_format"],
    [{ file_format: "JSONLines", compression: "zstd" }, "compression"],
    [{ max_file_size_mb: 0 }, "max_file_size_mb"],
    [{ max_file_size_mb: 1.5 }, "max_file_size_mb"],
    [{ endpoint_url: "ftp://x" }, "endpoint_url"],
    [{ endpoint_url: "http://x/path" }, "endpoint_url"],
    [{ use_virtual_style_addressing: "yes" }, "use_virtual_style_addressing"],
    [{ colour: "red" }, "colour"],
  ])("settings: %p", (more, member) => {
    expect(() => s3!.check(config(more))).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(() => s3!.check(config(more))).toThrow(new RegExp(`^${member}: `));
  });
});

describe("a problem that passes", () => {
  const answers: Record<string, () => Response | Promise<Response>> = {
    "503": () => new Response("<Error><Code>SlowDown</Code><Message>Slow.</Message></Error>", { status: 503 }),
    "no space": () => new Response("<Error><Code>InsufficientStorage</Code></Error>", { status: 507 }),
    "a page that stands for an answer": () => new Response("<html>Log in first.</html>"),
    "400 of a passing kind": () => new Response("<Error><Code>RequestTimeout</Code></Error>", { status: 400 }),
  };

  test.each(Object.keys(answers))("%s", async (name) => {
    using double = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answers[name]!() });
    const open = await s3!.open(config({ endpoint_url: `http://127.0.0.1:${double.port}` }), RANGE, ENV);
    await expect(open.put(part(0, "x"), NEVER)).rejects.toMatchObject({
      code: "destination_unavailable",
      retryable: true,
    });
  });

  test("a connection that is cut in the middle", async () => {
    const cutting = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: {
        data(socket) {
          socket.terminate();
        },
      },
    });
    const open = await s3!.open(config({ endpoint_url: `http://127.0.0.1:${cutting.port}` }), RANGE, ENV);
    await expect(open.put(part(0, "x".repeat(1e6)), NEVER)).rejects.toMatchObject({ retryable: true });
    cutting.stop(true);
  });

  test("no answer, until the run is cancelled", async () => {
    using silent = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: () => new Promise(() => {}) });
    const open = await s3!.open(config({ endpoint_url: `http://127.0.0.1:${silent.port}` }), RANGE, ENV);
    const cancel = new AbortController();
    const put = open.put(part(0, "x"), cancel.signal);
    cancel.abort(new Error("cancelled"));
    await expect(put).rejects.toThrow("cancelled");
    silent.stop(true);
  });
});
