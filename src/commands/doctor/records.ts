import type { Config } from "../../config.ts";
import { fileName, filesOf, liveSegments, type SegmentStore } from "../../lake/mod.ts";
import { paths } from "../../roles/paths.ts";
import type { Db } from "../../store/mod.ts";
import { bad, type Finding, odd, ok } from "./finding.ts";

const SLOW_MS = 200;
/** A clock that differs by more makes leases end at the wrong time. */
const CLOCK_MS = 2_000;
/** More files of flushes than compaction leaves over. */
const MANY_SMALL_FILES = 500;
const FILES_NAMED = 5;

/** The record store: whether it answers, and whether its clock is ours. */
export async function checkRecords(db: Db, config: Config): Promise<Finding[]> {
  const beganAtMs = performance.now();
  const at = Date.now();
  const storeMs = await db.read(async (tx) => {
    if (db.dialect === "sqlite") return Date.now();
    const rows: { ms: unknown }[] = await tx`select extract(epoch from clock_timestamp()) * 1000 as ms`;
    return Number(rows[0]!.ms);
  });
  const tookMs = performance.now() - beganAtMs;
  const name = db.dialect === "sqlite" ? `SQLite (${paths(config).records})` : "PostgreSQL";
  const answer = `${name} answers in ${Math.round(tookMs)} ms.`;
  const findings = [
    tookMs > SLOW_MS ? odd("records", answer, "Look at the load of its machine and disk.") : ok("records", answer),
  ];
  const aheadMs = storeMs - (at + tookMs / 2);
  if (db.dialect === "postgres") {
    const difference = `The clocks of PostgreSQL and of this machine differ by ${Math.abs(Math.round(aheadMs))} ms.`;
    const isFar = Math.abs(aheadMs) > CLOCK_MS;
    findings.push(isFar ? bad("clock", difference, "Set the clocks by NTP.") : ok("clock", difference));
  }
  return findings;
}

/** The files that the catalog names: whether each is there. Their content is what `weir lake verify` reads. */
export async function checkFiles(db: Db, storage: SegmentStore): Promise<Finding[]> {
  const live = await db.read(liveSegments);
  const there = new Set((await storage.list()).map(({ location }) => location));
  const files = live.flatMap((segment) => filesOf(segment));
  const missing = files.filter((file) => !there.has(storage.locate(file))).map(fileName);
  // Compaction goes on meanwhile: what it has taken away is missing no more.
  const stillLive = new Set((await db.read(liveSegments)).map(({ id }) => id));
  const gone = missing.filter((name) => stillLive.has(name.split(".")[0]!));
  const small = live.filter(({ level }) => level === 0).length;
  const count = `${live.length} segments, ${files.length} files, ${small} of flushes.`;
  if (gone.length > 0) {
    const named = gone.slice(0, FILES_NAMED).join(", ");
    const advice = "Questions about their time fail. Restore them: `weir restore` into another folder, and copy them.";
    return [bad("files", `${gone.length} files are missing: ${named}.`, advice)];
  }
  if (small > MANY_SMALL_FILES) {
    return [odd("files", count, "Is a compactor running? Queries get slower with each small file.")];
  }
  return [ok("files", count)];
}
