import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { logFailure } from "../roles/log.ts";
import { UsageError } from "../types/mod.ts";
import type { Command } from "./kit/command.ts";
import { COMMANDS } from "./table.ts";

/** As other programs end after a mistyped command line. */
const EXIT_USAGE = 2;
const HELP = new Set(["--help", "-h"]);
const ROOT = join(import.meta.dir, "..", "..");

/** The `weir` command: runs a command, prints its failure, and gives the exit code. */
export async function weir(argv: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = argv;
  if (HELP.has(name)) return help([]);
  if (name === "help") return help(rest);
  if (name === "--version") return say(versionText());
  const command = find(name);
  if (command === undefined) return misuse("weir", `There is no command "${name}".`, overview());
  if (asksForHelp(rest)) return say((await command.usageFor?.(rest)) ?? command.usage);
  try {
    return await command.run(rest);
  } catch (error) {
    if (error instanceof UsageError)
      return misuse(`weir ${name}`, error.message, (await command.usageFor?.(rest)) ?? command.usage);
    logFailure(name, error);
    return 1;
  }
}

const find = (name: string): Command | undefined => COMMANDS.find((command) => command.name === name);

/** Also among other arguments; after `--` everything is a word. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => HELP.has(word));
}

function help([name, ...rest]: readonly string[]): number {
  if (name === undefined || asksForHelp([name])) return say(overview());
  const command = find(name);
  if (command === undefined) return misuse("weir help", `There is no command "${name}".`, overview());
  if (rest[0] !== undefined && !asksForHelp(rest))
    return misuse("weir help", `Unexpected argument "${rest[0]}".`, overview());
  return say(command.usage);
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function misuse(place: string, problem: string, usage: string): number {
  console.error(`${place}: ${problem}\n\n${usage}`);
  return EXIT_USAGE;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return `usage: weir COMMAND

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

\`weir COMMAND --help\` (or \`weir help COMMAND\`) says more, \`weir --version\` prints the version.
Settings are environment variables: see docs/settings.md.`;
}

/** The version, and in a clone the commit. */
function versionText(): string {
  const isClone = existsSync(join(ROOT, ".git")) && Bun.which("git") !== null;
  if (!isClone) return `weir ${version}`;
  const { stdout, success } = Bun.spawnSync(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], { stderr: "ignore" });
  return success ? `weir ${version} (${stdout.toString().trim()})` : `weir ${version}`;
}
