import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SecretBox } from "../../src/outgoing/mod.ts";

const dataDir = mkdtempSync(join(tmpdir(), "weir-secrets-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const box = (setting: string | null = null) => new SecretBox({ dataDir, setting });

test("secrets come out as they went in, by any process of the data folder", () => {
  const secrets = { password: "hunter2 é", nested: { key: "x" } };
  const sealed = box().seal(secrets, "export-1");
  expect(sealed).not.toContain("hunter2");
  expect(box().open(sealed, "export-1")).toEqual(secrets);
  expect(box().seal(secrets, "export-1")).not.toBe(sealed);
  expect(box().seal({}, "export-1")).toBe("");
  expect(box().open("", "export-1")).toEqual({});
});

test("the key is for its user alone, and made once", () => {
  const path = join(dataDir, "export.key");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const before = readFileSync(path, "utf8");
  box().seal({ a: "b" }, "export-1");
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("they are of one record, and cannot be opened when they were changed or the key is another", () => {
  const sealed = box().seal({ token: "t" }, "export-1");
  const broken = `${sealed.slice(0, -6)}AAAAA=`;
  for (const attempt of [
    () => box().open(sealed, "export-2"),
    () => box().open(broken, "export-1"),
    () => box("another key").open(sealed, "export-1"),
  ]) {
    expect(attempt).toThrow("cannot be decrypted");
  }
  const byText = box("a text of the operator's").seal({ token: "t" }, "export-1");
  expect(box("a text of the operator's").open(byText, "export-1")).toEqual({ token: "t" });
});

test("a key file that holds no key is refused", () => {
  writeFileSync(join(dataDir, "export.key"), "no key");
  expect(() => box().seal({ a: "b" }, "export-1")).toThrow("does not hold a key");
});
