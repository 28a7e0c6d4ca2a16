import { type Config, loadConfig } from "../../config.ts";
import { findSource, inspect, stringifyExact } from "../../import/mod.ts";
import { UsageError } from "../../types/mod.ts";
import { readArguments } from "../kit/command.ts";
import { showImport, showImports, undoImport } from "./actions.ts";
import { OF_INSPECT, OF_LIST, OF_ONE, OF_RESUME, refuseEndpoint } from "./arguments.ts";
import { resumeImport, startImport } from "./start.ts";

/** `weir import`: gives the exit code. Throws UsageError, and typed errors. */
export async function runImport(argv: readonly string[]): Promise<number> {
  const config = loadConfig();
  const at = argv.findIndex((word) => !word.startsWith("-"));
  const [name, rest] = [argv[at], argv.toSpliced(at, 1)];
  if (name === undefined) {
    const before = argv[0] === undefined ? "" : `, before '${argv[0]}'`;
    throw new UsageError(`Name a source, or inspect, list, status, report, resume, undo${before}.`);
  }
  const action = ACTIONS.get(name);
  if (action !== undefined) return action(rest, config);
  const source = await findSource(name);
  if (source === null) throw new UsageError(`There is no source "${name}".`);
  return startImport(source, rest, config);
}

const ACTIONS = new Map<string, (argv: readonly string[], config: Config) => Promise<number>>([
  ["inspect", inspectFile],
  ["list", (argv, config) => showImports(readArguments(argv, OF_LIST, 0), config)],
  ["status", (argv, config) => showImport("status", readArguments(argv, OF_ONE, 1), config)],
  ["report", (argv, config) => showImport("report", readArguments(argv, OF_ONE, 1), config)],
  ["undo", (argv, config) => undoImport(readArguments(argv, OF_ONE, 1), config)],
  ["resume", (argv, config) => resumeImport(readArguments(argv, OF_RESUME, 1), config)],
]);

async function inspectFile(argv: readonly string[]): Promise<number> {
  const { options, words } = readArguments(argv, OF_INSPECT, Number.POSITIVE_INFINITY);
  if (words.length === 0) throw new UsageError("Name a file.");
  refuseEndpoint(options, words);
  const { file, mapping, examples } = await inspect(words, { endpoint: options["s3-endpoint"], env: process.env });
  console.log(JSON.stringify(mapping, null, 2));
  console.error(`\nThe first rows of ${file} under this mapping:\n`);
  for (const example of examples) console.error(stringifyExact(example, 2));
  console.error("\nKeep it: weir import inspect FILE > map.json; then: weir import file FILE --map map.json --dry-run");
  return 0;
}
