import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPO } from "./weirProcess.ts";

/** A clone whose sources change. */
let clone: string;
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "weir-build-"));
  const isPage = (path: string) => path.includes("/src/web/app/");
  for (const name of ["src", "actors", "scripts", "package.json", "bun.lock", "bunfig.toml"])
    cpSync(join(REPO, name), join(clone, name), { recursive: true, filter: (path) => !isPage(path) });
  symlinkSync(join(REPO, "node_modules"), join(clone, "node_modules"));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

function run(...command: string[]): { out: string; error: string; exitCode: number } {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command, { cwd: clone });
  return { out: stdout.toString().trim(), error: stderr.toString(), exitCode };
}

function build(): string {
  const { out, error } = run(process.execPath, "src/build.ts");
  expect(error).toBe("");
  return out;
}

test("a build is made once for a state of the sources, and another one for another", () => {
  const first = build();
  expect(run(process.execPath, first, "--help").out).toContain("run everything on this machine");
  expect(build()).toBe(first);
  const path = join(clone, "src", "commands", "roles.ts");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("run everything on this machine", "run all of it"));
  const second = build();
  expect(second).not.toBe(first);
  expect(run(process.execPath, second, "--help").out).toContain("run all of it");
  writeFileSync(path, text);
  expect(build()).toBe(first);
});

test("what is built names the places of the sources in its errors", () => {
  const path = join(clone, "src", "commands", "roles.ts");
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace('(await import("../roles/start.ts")).runStart(config)', 'Promise.reject(Error("odd"))'),
  );
  const { error } = run(process.execPath, build(), "start");
  expect(error).toContain("src/commands/roles.ts:");
  writeFileSync(path, text);
});

test("where no build can be kept, the sources run, and what stays says so", () => {
  rmSync(join(clone, ".cache"), { recursive: true, force: true });
  writeFileSync(join(clone, ".cache"), "");
  const { out, error, exitCode } = run("scripts/weir", "front", "--help");
  expect([out.split("\n")[0], exitCode]).toEqual(["usage: weir front", 0]);
  expect(error).toStartWith("weir: the sources are run as they are, which takes longer: ");
  // Not at each short command.
  expect(run("scripts/weir", "keys", "--help")).toMatchObject({ error: "", exitCode: 0 });
});
