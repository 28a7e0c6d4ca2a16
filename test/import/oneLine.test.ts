import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { REPO, WEIR } from "../commands/weirProcess.ts";
import { zipOf } from "./zipFile.ts";

/** What src/import/DESIGN.md promises, however long a line is. */
const MEMORY_MAX_BYTES = 300_000_000;
const MEMBER_BYTES = 16 << 20;
/** A gigabyte, and as much as is still more than the memory. */
const [WHOLE, PART] = [64, 20];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-one-line-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EVENT = JSON.stringify({ event: "ok", distinct_id: "d", timestamp: "2024-01-01T00:00:00Z" });

interface Parts {
  head: string;
  byte: number;
  members: number;
  tail: string;
}

/** A file of `head`, very many of one byte, and `tail`, packed in parts that can be put one after the other. */
function write(name: string, parts: Parts, pack: (b: Uint8Array) => Uint8Array) {
  const path = join(folder, name);
  const file = openSync(path, "w");
  writeSync(file, pack(Buffer.from(parts.head)));
  const member = pack(Buffer.alloc(MEMBER_BYTES, parts.byte));
  for (let i = 0; i < parts.members; i++) writeSync(file, member);
  writeSync(file, pack(Buffer.from(parts.tail)));
  closeSync(file);
  return path;
}

const PEAK_OF = join(import.meta.dir, "peakOf.ts");

/** What a dry run tells of a file, and the most memory that its process had. */
async function read(path: string): Promise<{ rows: number; rejectedBy: unknown; peakBytes: number }> {
  const peak = join(folder, "peak");
  const command = [WEIR, "import", "file", path, "--dry-run", "--json", "--max-rejects", "1"];
  const child = Bun.spawn([process.execPath, PEAK_OF, peak, ...command], {
    ...{ cwd: REPO, env: { ...process.env, WEIR_DATA_DIR: join(folder, "none") } },
    ...({ stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const),
  });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  const { rows, rejectedBy } = JSON.parse(out.trim().split("\n").at(-1)!);
  const told = rejectedBy.map(({ reason, rows }: { reason: string; rows: number }) => `${rows} ${reason}`);
  return { rows, rejectedBy: told, peakBytes: Number(await Bun.file(peak).text()) };
}

const X = 0x78;
const lines = { head: `${EVENT}\n`, members: WHOLE, tail: `\n${EVENT}` };
const list = { head: `[${EVENT},{"a":"`, members: PART, tail: `"},\n${EVENT}]` };
const table = { head: "event,distinct_id,timestamp\nok,d,2024-01-01\n", members: PART, tail: "\nok,d,2024-01-01" };
const same = (bytes: Uint8Array) => bytes;

test.each([
  ["plain.jsonl", { ...lines, byte: X }, same, 3, ["1 too_long"]],
  ["letters.jsonl.gz", { ...lines, byte: X }, gzipSync, 3, ["1 too_long"]],
  ["letters.jsonl.zst", { ...lines, byte: X }, zstdCompressSync, 3, ["1 too_long"]],
  ["nothing-but-zeros.jsonl.gz", { head: "", byte: 0, members: WHOLE, tail: "" }, gzipSync, 1, ["1 too_long"]],
  ["blanks.jsonl.gz", { head: "", byte: 0x20, members: PART, tail: `\n${EVENT}` }, gzipSync, 2, ["1 too_long"]],
  ["element.json.gz", { ...list, byte: X }, gzipSync, 3, ["1 too_long"]],
  ["deep.json.gz", { head: "[", byte: 0x5b, members: PART, tail: "" }, gzipSync, 1, ["1 unreadable"]],
  ["row.csv.gz", { ...table, byte: X }, gzipSync, 3, ["1 too_long"]],
  ["quote.csv.gz", { ...table, head: `${table.head}"`, byte: X }, gzipSync, 3, ["1 too_long"]],
  ["names.csv.gz", { head: "", byte: X, members: PART, tail: "" }, gzipSync, 1, ["1 unreadable"]],
] as const)("one endless line of %s is a reject, and is not held", async (name, parts, pack, rows, rejects) => {
  const path = write(name, parts, pack as (bytes: Uint8Array) => Uint8Array);
  const { peakBytes, ...told } = await read(path);
  rmSync(path);
  expect(told).toEqual({ rows, rejectedBy: [...rejects] });
  expect(peakBytes).toBeLessThan(MEMORY_MAX_BYTES);
});

test("one endless line of a zip's entry is a reject, and is not held", async () => {
  const member = deflateRawSync(Buffer.alloc(MEMBER_BYTES, X), { finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.from(`\n${EVENT}`));
  const packed = Buffer.concat([...Array.from({ length: PART }, () => member), end]);
  const claimedSize = MEMBER_BYTES * PART + EVENT.length + 1;
  const path = join(folder, "packed.zip");
  await Bun.write(path, zipOf([{ name: "a.jsonl", bytes: Buffer.alloc(0), packed, claimedSize }]));
  const { peakBytes, ...told } = await read(path);
  expect(told).toEqual({ rows: 2, rejectedBy: ["1 too_long"] });
  expect(peakBytes).toBeLessThan(MEMORY_MAX_BYTES);
});
