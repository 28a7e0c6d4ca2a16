import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../../src/commands/table.ts";
import { REPO, runCommand, WEIR, weirOn } from "./weirProcess.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-command-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = [
  ...["start", "front", "api", "worker", "compactor", "exporter", "query"],
  ...["status", "lake", "explain", "dead-letters", "partitions", "keys", "login-link", "projects", "demo"],
  ...["import", "export", "backup", "restore", "doctor", "install-service"],
];

describe("weir says what it is", () => {
  test("--help, -h, help and nothing list every command", async () => {
    expect(COMMANDS.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
    for (const argv of [["--help"], ["-h"], ["help"], []]) {
      const { out, error, code } = await weirOn(join(folder, "none"), argv);
      expect({ error, code }).toEqual({ error: "", code: 0 });
      for (const name of NAMES) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    }
  });

  test.each(NAMES)("%s --help, -h and `help` before it print its usage, whatever else is there", async (name) => {
    // A wrong setting, a folder without a Weir and more arguments do not stand in the way.
    const wrong = { WEIR_PORT: "eighty" };
    const none = join(folder, "none");
    for (const argv of [
      [name, "--help"],
      [name, "x", "--nope", "-h"],
      ["help", name],
    ]) {
      const { out, error, code } = await weirOn(none, argv, wrong);
      expect({ error, code }).toEqual({ error: "", code: 0 });
      expect(out).toStartWith(`usage: weir ${name}`);
    }
    expect(existsSync(none)).toBe(false);
  });

  test("help reads none of what a command needs", async () => {
    const modules = `
      await import(${JSON.stringify(join(REPO, "src/commands/weir.ts"))});
      console.log(JSON.stringify(Object.keys(require.cache)));`;
    const { out } = await runCommand([process.execPath, "-e", modules]);
    const loaded = JSON.parse(out) as string[];
    expect(loaded.some((path) => path.endsWith("src/commands/table.ts"))).toBe(true);
    expect(
      loaded.filter((path) => /node_modules|src\/(lake|manage|query|stream|metadata|runtime|capture)\//.test(path)),
    ).toEqual([]);
  });

  test("--version is the package's, with the commit of a clone", async () => {
    const { version } = JSON.parse(readFileSync(join(REPO, "package.json"), "utf8")) as { version: string };
    const commit = (await runCommand(["git", "rev-parse", "HEAD"])).out.trim();
    const { out, code } = await weirOn(join(folder, "none"), ["--version"]);
    expect(code).toBe(0);
    const [, name, shown] = /^weir (\S+)(?: \((\w{7,})\))?\n$/.exec(out)!;
    expect(name).toBe(version);
    if (commit !== "") expect(commit).toStartWith(shown!);
  });
});

describe("what was typed wrongly is said with the usage, and exit code 2", () => {
  const wrong: [string[], string][] = [
    [["strat"], 'There is no command "strat"'],
    [["--verbose"], 'There is no command "--verbose"'],
    [["help", "strat"], 'There is no command "strat"'],
    [["help", "keys", "list"], 'Unexpected argument "list"'],
    ...NAMES.map((name): [string[], string] => [[name, "--nope"], "'--nope'"]),
    ...["start", "front", "api", "worker", "compactor", "exporter", "query", "status", "demo"].map(
      (name): [string[], string] => [[name, "more"], 'Unexpected argument "more"'],
    ),
    [["lake", "look"], 'Unknown action "look"'],
    [["lake", "verify", "all"], 'Unexpected argument "all"'],
    [["lake", "--erased"], "`weir lake` takes no --erased"],
    [["lake", "--keep", "3"], "`weir lake` takes no --keep"],
    [["lake", "pin", "1", "plan", "--json"], "`weir lake pin` takes no --json"],
    [["lake", "unpin", "1", "plan", "--endpoint", "x"], "`weir lake unpin` takes no --endpoint"],
    [["lake", "publish", "1", "x", "--erased"], "`weir lake publish` takes no --erased"],
    [["lake", "pin"], "PROJECT"],
    [["lake", "pin", "1"], "KEY"],
    [["lake", "pin", "one", "plan"], "PROJECT"],
    [["lake", "unpin", "1", "plan", "VARCHAR"], 'Unexpected argument "VARCHAR"'],
    [["explain"], "PROJECT"],
    [["explain", "one", "-"], "PROJECT"],
    [["explain", "1"], "file"],
    [["explain", "1", "-", "--insight", "x"], "one file or one insight"],
    [["dead-letters"], "list or redrive"],
    [["dead-letters", "redrive"], "--every"],
    [["dead-letters", "redrive", "1", "--every"], "--every"],
    [["dead-letters", "redrive", "one"], "ID"],
    [["dead-letters", "list", "1"], 'Unexpected argument "1"'],
    [["dead-letters", "list", "--limit", "many"], "--limit"],
    [["dead-letters", "list", "--project", "x"], "--project"],
    [["dead-letters", "list", "--every"], "`weir dead-letters list` takes no --every"],
    [["dead-letters", "redrive", "1", "--limit", "2"], "`weir dead-letters redrive` takes no --limit"],
    [["dead-letters", "redrive", "--every", "--json"], "`weir dead-letters redrive` takes no --json"],
    [["dead-letters", "redrive", "--every", "--all"], "`weir dead-letters redrive` takes no --all"],
    [["dead-letters", "redrive", "1", "--project", "1"], "--project is for --every"],
    [["partitions", "--anyway"], "`weir partitions` takes no --anyway"],
    [["keys", "list", "--level", "nonsense"], "`weir keys list` takes no --level"],
    [["keys", "revoke", "a", "--json"], "`weir keys revoke` takes no --json"],
    [["backup"], "PLACE is missing"],
    [["backup", "list"], "PLACE is missing"],
    [["backup", "a", "b"], 'Unexpected argument "b"'],
    [["backup", "list", "a", "--keep", "0"], "`weir backup list` takes no --keep"],
    ...[["backup"], ["backup", "list"], ["restore"], ["lake", "publish", "1"]].map((command): [string[], string] => [
      [...command, "/a", "--endpoint", "http://127.0.0.1:9"],
      "--endpoint is for s3://BUCKET/PREFIX",
    ]),
    [["restore"], "PLACE is missing"],
    [["backup", "list", "a", "--wait", "x"], "`weir backup list` takes no --wait"],
    [["keys"], "create, list or revoke"],
    [["keys", "create"], "--label"],
    [["keys", "create", "--label"], "--label"],
    [["keys", "create", "--label", "me"], "--scopes"],
    [["keys", "create", "--label", "me", "--scopes", "no"], "Invalid scope: no"],
    [["keys", "revoke"], "ID"],
    [["projects"], "create or list"],
    [["projects", "create"], "NAME"],
    [["demo", "--people", "0"], "--people must be a whole number from 1 to 100000"],
    [["demo", "--days", "1.5"], "--days"],
    [["import", "list", "--project", "1", "--state", "x"], "'--state'"],
    [["import", "status", "x", "--dry-run"], "'--dry-run'"],
    [["import", "resume", "x", "--project", "2"], "'--project'"],
    [["import", "inspect", "x", "--json"], "'--json'"],
    [["import", "file", "x", "--project", "1", "--sample", "5"], "--sample is for --dry-run"],
    [["import", "file", "x", "--project", "1", "--max-rejects", "1"], "--max-rejects is for --dry-run"],
    [["import", "file", "x", "--project", "1", "--s3-endpoint", "http://127.0.0.1:9"], "--s3-endpoint is for s3://"],
    [["import", "inspect", "x", "--s3-endpoint", "http://127.0.0.1:9"], "--s3-endpoint is for s3://"],
    [["import", "constructor"], 'There is no source "constructor"'],
    [["status", "--json=yes"], "--json"],
    [["import", "file", "x.jsonl", "--from", "2024-02-02", "--to", "2024-02-01"], "--from is after --to"],
    [["export", "x", "--project", "1", "--from", "2024-02-02", "--to", "2024-02-02"], "--from must be before --to"],
  ];
  test.each(wrong)("%j", async (argv, problem) => {
    const none = join(folder, "none");
    const { out, error, code } = await weirOn(none, argv);
    expect({ out, code }).toEqual({ out: "", code: 2 });
    expect(error).toStartWith("weir");
    expect(error.split("\n")[0]).toContain(problem);
    expect(error).toContain("usage: weir");
    expect(existsSync(none)).toBe(false);
  });

  test("a wrong setting is a sentence that names it", async () => {
    const { error, code } = await weirOn(join(folder, "none"), ["keys", "list"], { WEIR_PORT: "eighty" });
    expect(code).toBe(1);
    expect(error).toMatch(/^weir: WEIR_PORT must be [^\n]+\n$/);
  });
});

describe("scripts/weir", () => {
  test("says how to install what is missing", async () => {
    const clone = join(folder, "clone");
    mkdirSync(join(clone, "scripts"), { recursive: true });
    copyFileSync(WEIR, join(clone, "scripts", "weir"));
    chmodSync(join(clone, "scripts", "weir"), 0o755);
    const { error, code } = await runCommand([join(clone, "scripts", "weir"), "status"]);
    expect(code).toBe(1);
    expect(error).toContain(`${clone}/scripts/setup`);
    expect(error).toContain("scripts/start");
    expect(error.trim().split("\n")).toHaveLength(1);
  });

  test("works from any folder and by a link; a relative data folder counts from there, none is the clone's", async () => {
    const where = join(folder, "where");
    mkdirSync(where);
    symlinkSync(WEIR, join(where, "linked"));
    const relative = await runCommand(["./linked", "lake"], { cwd: where, env: { WEIR_DATA_DIR: "mine/of it" } });
    expect(relative.error).toContain(`There is no Weir in ${join(where, "mine/of it")} (WEIR_DATA_DIR)`);
    const missing = join(folder, "empty clone");
    mkdirSync(join(missing, "scripts"), { recursive: true });
    copyFileSync(WEIR, join(missing, "scripts", "weir"));
    for (const name of ["node_modules", "src", "actors", "package.json", "bunfig.toml"]) {
      symlinkSync(join(REPO, name), join(missing, name));
    }
    const none = await runCommand([join(missing, "scripts", "weir"), "lake"], { cwd: where });
    expect(none.error).toContain(`There is no Weir in ${join(missing, "data")} (WEIR_DATA_DIR)`);
    expect(readdirSync(where)).toEqual(["linked"]);
  });

  test("takes no settings of another program from the folder that it is called in", async () => {
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, ".env"), "WEIR_PORT=eighty\n");
    writeFileSync(join(other, "bunfig.toml"), 'preload = ["./no-such-file.ts"]\n');
    const { error } = await runCommand([WEIR, "lake"], { cwd: other, env: { WEIR_DATA_DIR: "none" } });
    expect(error).toContain("There is no Weir in");
  });
});
