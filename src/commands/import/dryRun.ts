import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dryRun, inputsOf, noCounts, Plan, type Source, type Telling } from "../../import/mod.ts";
import type { ImportArguments } from "./arguments.ts";
import { s3Of, stagedFiles } from "./files.ts";
import { ProgressLine } from "./progress.ts";
import { EXIT_STOPPED, stopper } from "./stopper.ts";
import { dryRunText } from "./texts.ts";

const EXIT_REJECTS = 3;

/** `weir import SOURCE --dry-run`: prints what would come. Gives 3 where too many rows would be rejected. */
export async function tryImport(source: Source<unknown>, options: unknown, args: ImportArguments): Promise<number> {
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
