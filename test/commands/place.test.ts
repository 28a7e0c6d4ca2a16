import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { weirOn } from "./weirProcess.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-place-"));
const data = join(folder, "weir", "data");
const shared = join(folder, "shared");
for (const path of [join(data, "lake"), shared, join(folder, "data-of-others")]) mkdirSync(path, { recursive: true });
symlinkSync(data, join(folder, "link"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BUCKET = { WEIR_STORE_URL: "s3://lake/segments", WEIR_STORE_ENDPOINT: "http://127.0.0.1:1" };
const backup = (place: string, ...more: string[]) => ["backup", place, ...more];
const publish = (place: string, ...more: string[]) => ["lake", "publish", "1", place, ...more];
const takeOut = (place: string) => ["export", place, "--project", "1"];

const inFolders = [
  ...[data, `${data}/`, join(data, "lake"), join(data, "new/deep"), `${folder}/shared/../weir/data`],
  ...[join(folder, "link"), join(folder, "link", "lake"), join(folder, "weir"), "/"],
];

test.each([backup, publish, takeOut])(
  "%p refuses the data folder, what is in it and what it is in",
  async (command) => {
    for (const place of inFolders) {
      const { out, error, code } = await weirOn(data, command(place));
      expect({ place, out, code }).toEqual({ place, out: "", code: 2 });
      expect(error).toContain(`"${place}" overlaps with ${data} (WEIR_DATA_DIR)`);
    }
    const inShared = await weirOn(data, command(join(shared, "backup")), { WEIR_STORE_URL: shared });
    expect(inShared.error).toContain(`overlaps with ${shared} (WEIR_STORE_URL)`);
  },
);

test.each([backup, publish])("%p refuses the prefix of the segments", async (command) => {
  const at = (place: string, endpoint = BUCKET.WEIR_STORE_ENDPOINT) =>
    weirOn(data, command(place, "--endpoint", endpoint), BUCKET);
  for (const place of ["s3://lake/segments", "s3://lake/segments/", "s3://lake/segments/bk", "s3://lake"]) {
    expect(await at(place)).toMatchObject({ code: 2, error: expect.stringContaining("(WEIR_STORE_URL)") });
  }
  // There is no Weir, which is seen when the place was taken.
  const taken = { code: 1, error: expect.stringContaining("There is no Weir") };
  expect(await at("s3://lake/segments-backup")).toMatchObject(taken);
  expect(await at("s3://lake/segments", "http://127.0.0.1:2")).toMatchObject(taken);
});

test("a folder beside the data folder is taken", async () => {
  for (const place of [join(folder, "backup"), join(folder, "weir", "data-backup"), join(folder, "data-of-others")]) {
    const taken = await weirOn(data, backup(place));
    expect(taken).toMatchObject({ code: 1, error: expect.stringContaining("There is no Weir") });
  }
});
