import { createHash } from "node:crypto";
import type { Config } from "../../config.ts";
import { findSource, type ImportFacts, inputsOf, Plan, type Source, State, WeirClient } from "../../import/mod.ts";
import { TerminalError, UsageError } from "../../types/mod.ts";
import type { Arguments } from "../kit/command.ts";
import { keyForRun, urlOfWeir } from "../kit/key.ts";
import { type OF_RESUME, readCommon, readImportArguments } from "./arguments.ts";
import { tryImport } from "./dryRun.ts";
import { s3Of } from "./files.ts";
import { folderOf } from "./place.ts";
import { createRecord, refuseOtherMapping } from "./record.ts";
import { stopper } from "./stopper.ts";
import { runToEnd } from "./toEnd.ts";

/** `weir import SOURCE`. */
export async function startImport(source: Source<unknown>, argv: readonly string[], config: Config): Promise<number> {
  const args = readImportArguments(argv, source);
  const options = await source.read(args.given, args.words);
  if (args.isDryRun) return tryImport(source, options, args);
  if (args.project === null) throw new UsageError("--project is missing: the id of an environment.");
  const url = urlOfWeir(args.given.url as string | undefined, config);
  // What is not there is said before anything is made.
  const inputs = await inputsOf(source.inputs(options), s3Of(args));
  if (source.stage === undefined) new Plan(source, options, inputs);
  const stop = stopper();
  const key = await keyForRun(args.given.key as string | undefined, args.project, config);
  try {
    const weir = new WeirClient({ url, key: key.value, project: args.project }, stop.signal);
    const mappingHash = hashOfMapping(source, options);
    const history = { source: source.name, origin: source.originOf(options).slice(0, 4000), mapping_hash: mappingHash };
    if (!args.isAsNew) await refuseOtherMapping(weir, history);
    const record = await createRecord(weir, history);
    const state = new State(folderOf(record.id, args.given.state as string | undefined, config));
    const { key: _secret, ...given } = args.given;
    const facts: ImportFacts = {
      id: record.id,
      source: source.name,
      words: args.words,
      options: Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      ) as ImportFacts["options"],
      cwd: process.cwd(),
      url,
      project: args.project,
      mappingHash,
      startedAt: new Date().toISOString(),
    };
    state.writeFacts(facts);
    return await runToEnd({ source, options, args, facts, state, weir, stop });
  } finally {
    await key.revoke();
    stop.end();
  }
}

/** `weir import resume`. */
export async function resumeImport(
  { options: given, words }: Arguments<typeof OF_RESUME>,
  config: Config,
): Promise<number> {
  const [id] = words;
  if (id === undefined) throw new UsageError("ID is missing: `weir import list` shows the ids.");
  const state = existing(folderOf(id, given.state, config), id);
  const facts = state.readFacts();
  const source = await findSource(facts.source);
  if (source === null) throw new TerminalError("no_source", `There is no source "${facts.source}" any more.`);
  process.chdir(facts.cwd);
  const args = {
    given: facts.options,
    words: facts.words,
    ...readCommon(facts.options, source, facts.words),
    asJson: given.json === true,
  };
  const options = await source.read(facts.options, facts.words);
  const mappingHash = hashOfMapping(source, options);
  if (mappingHash !== facts.mappingHash) {
    throw new TerminalError(
      "mapping_changed",
      `The mapping of import ${id} was changed since: import anew, with --as-new.`,
    );
  }
  const url = given.url === undefined ? facts.url : urlOfWeir(given.url, config);
  const stop = stopper();
  const key = await keyForRun(given.key, facts.project, config);
  try {
    const weir = new WeirClient({ url, key: key.value, project: facts.project }, stop.signal);
    return await runToEnd({ source, options, args, facts, state, weir, stop });
  } finally {
    await key.revoke();
    stop.end();
  }
}

function existing(folder: string, id: string): State {
  if (State.isIn(folder)) return new State(folder);
  throw new TerminalError("no_state", `There is nothing of import ${id} in ${folder}: --state names another folder.`);
}

function hashOfMapping(source: Source<unknown>, options: unknown): string {
  return createHash("sha256")
    .update(`${source.name} ${source.mappingOf(options)}`)
    .digest("hex");
}
