import {
  type ImportFacts,
  inputsOf,
  Plan,
  Run,
  type Source,
  type State,
  type Telling,
  type WeirClient,
} from "../../import/mod.ts";
import { describeError, TerminalError } from "../../types/mod.ts";
import type { ImportArguments } from "./arguments.ts";
import { s3Of, stagedFiles } from "./files.ts";
import { importObjects, objectsText } from "./objects.ts";
import { ProgressLine } from "./progress.ts";
import { Keeper } from "./record.ts";
import { EXIT_STOPPED, type Stopper } from "./stopper.ts";
import { reportText } from "./texts.ts";

/** Errors after which `resume` would do nothing. */
const ENDED = new Set(["weir_refused", "state_damaged"]);

/** An import that has its record and its folder. */
export interface Running {
  source: Source<unknown>;
  options: unknown;
  args: ImportArguments;
  facts: ImportFacts;
  state: State;
  weir: WeirClient;
  stop: Stopper;
}

/** Brings everything, prints the report, and ends the record. Gives the exit code. Throws typed errors. */
export async function runToEnd(o: Running): Promise<number> {
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
    if (!(error instanceof TerminalError && ENDED.has(error.code))) {
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
