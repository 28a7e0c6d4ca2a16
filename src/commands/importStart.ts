import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import {
  dryRun,
  findSource,
  type ImportFacts,
  inputsOf,
  noCounts,
  Plan,
  Run,
  type Source,
  StagingFolder,
  State,
  type Telling,
  WeirClient,
} from "../import/mod.ts";
import { describeError, TerminalError, UsageError } from "../types/mod.ts";
import type { Arguments } from "./command.ts";
import { type COMMON, type ImportArguments, readCommon, readImportArguments } from "./importArguments.ts";
import { keyForRun, urlOfWeir } from "./importKey.ts";
import { importObjects, objectsText } from "./importObjects.ts";
import { folderOf } from "./importPlace.ts";
import { ProgressLine } from "./importProgress.ts";
import { createRecord, Keeper, refuseOtherMapping } from "./importRecord.ts";
import { dryRunText, reportText } from "./importTexts.ts";

const EXIT_REJECTS = 3;
/** As shells have it for a program that Ctrl-C has ended. */
const EXIT_STOPPED = 130;

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
    const mappingHash = createHash("sha256")
      .update(`${source.name} ${source.mappingOf(options)}`)
      .digest("hex");
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
  { options: given, words }: Arguments<typeof COMMON>,
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
  const mappingHash = createHash("sha256")
    .update(`${source.name} ${source.mappingOf(options)}`)
    .digest("hex");
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

const s3Of = ({ given }: Pick<ImportArguments, "given">) => ({
  endpoint: given["s3-endpoint"] as string | undefined,
  env: process.env,
});

interface Running {
  source: Source<unknown>;
  options: unknown;
  args: ImportArguments;
  facts: ImportFacts;
  state: State;
  weir: WeirClient;
  stop: Stopper;
}

async function runToEnd(o: Running): Promise<number> {
  const { args, facts, state, weir, stop } = o;
  const line = new ProgressLine(args.asJson);
  const keeper = new Keeper(weir, facts.id, stop.abort);
  const tell = (telling: Telling) => {
    line.show(telling);
    keeper.note(telling);
  };
  try {
    await keeper.begin();
    const objects = await importObjects({ ...o, isNamed: args.given.state !== undefined, signal: stop.signal });
    if (objects !== null) {
      console.log(args.asJson ? JSON.stringify({ type: "objects", ...objects }) : objectsText(objects));
    }
    const plan = await planOf(o, tell);
    const { api_token: token } = await weir.ask<{ api_token: string }>("GET", "");
    const run = new Run({
      ...o,
      ...{ plan, token, tell, signal: stop.signal },
      ...{ between: args.between, mergesIdentical: args.mergesIdentical, deviceUsers: args.deviceUsers },
      weir: weir.telling((reason) => run.tellWait(reason)),
    });
    const report = await run.run();
    line.end();
    await keeper.end("completed", { ...report }, null);
    console.log(args.asJson ? JSON.stringify({ type: "report", ...report }) : reportText(report));
    return report.isWhole ? 0 : 1;
  } catch (error) {
    line.end();
    const hint = `weir import resume ${facts.id}${args.given.state === undefined ? "" : ` --state ${state.folder}`}`;
    if (stop.isStopped()) {
      await keeper.end("paused", null, null);
      console.error(`Stopped. To go on: ${hint}`);
      return EXIT_STOPPED;
    }
    await keeper.end("failed", null, describeError(error));
    if (!(error instanceof TerminalError && error.code === "weir_refused")) {
      console.error(`The import stands still. To go on: ${hint}`);
    }
    throw error;
  }
}

/** Brings what an API tells, and finds all files. */
async function planOf(
  { source, options, args, state, stop }: Running,
  tell: (telling: Telling) => void,
): Promise<Plan> {
  const staged = await stagedFiles(source, options, { folder: state.path("raw"), signal: stop.signal, tell });
  const inputs = await inputsOf([...staged, ...source.inputs(options)], s3Of(args));
  return new Plan(source, options, inputs);
}

async function stagedFiles(
  source: Source<unknown>,
  options: unknown,
  o: { folder: string; signal: AbortSignal; tell: (telling: Telling) => void },
): Promise<string[]> {
  if (source.stage === undefined) return [];
  const nothing = { counts: noCounts(), stored: null, duplicates: null };
  const folder = await StagingFolder.open(o.folder, o.signal, (done, all, waitsFor) =>
    o.tell({ phase: "staging", done, all, share: all === 0 ? 0 : done / all, waitsFor, ...nothing }),
  );
  await source.stage(options, folder);
  return folder.parts.map(({ name }) => folder.path(name));
}

async function tryImport(source: Source<unknown>, options: unknown, args: ImportArguments): Promise<number> {
  const stop = stopper();
  const line = new ProgressLine(args.asJson);
  const scratch = mkdtempSync(join(tmpdir(), "weir-dry-run-"));
  const nothing = { counts: noCounts(), stored: null, duplicates: null, waitsFor: null };
  try {
    const tell = (telling: Telling) => line.show(telling);
    const staged = await stagedFiles(source, options, { folder: join(scratch, "raw"), signal: stop.signal, tell });
    const plan = new Plan(source, options, await inputsOf([...staged, ...source.inputs(options)], s3Of(args)));
    const found = await dryRun({
      ...args,
      ...{ plan, options, scratch: join(scratch, "survey"), signal: stop.signal },
      tell: (rows, share) => tell({ phase: "survey", done: rows, all: null, share, ...nothing }),
    });
    line.end();
    console.log(args.asJson ? JSON.stringify({ type: "dry_run", ...found }) : dryRunText(found));
    return found.rejected > args.maxRejects * found.rows ? EXIT_REJECTS : 0;
  } catch (error) {
    line.end();
    if (stop.isStopped()) return EXIT_STOPPED;
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    stop.end();
  }
}

interface Stopper {
  signal: AbortSignal;
  /** Whether a signal of the system has ended it. */
  isStopped(): boolean;
  abort(reason: TerminalError): void;
  end(): void;
}

/** Aborts at the first signal; the second one ends the process. */
function stopper(): Stopper {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT_STOPPED);
    controller.abort(new TerminalError("stopped", "The import was stopped."));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const end = () => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  const isStopped = () => (controller.signal.reason as TerminalError | undefined)?.code === "stopped";
  return { signal: controller.signal, isStopped, abort: (reason) => controller.abort(reason), end };
}
