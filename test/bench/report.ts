import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

/** What every measurement carries, so that it can be compared later. */
export interface Circumstances {
  commit: string;
  date: string;
  machine: { cpu: string; cores: number; memoryBytes: number };
  bun: string;
}

/** Of the code that is measured, and whether it was changed since. */
export function currentCommit(): string {
  const git = (...args: string[]) => spawnSync("git", args, { encoding: "utf8" }).stdout.trim();
  const isChanged = git("status", "--porcelain") !== "";
  return git("rev-parse", "HEAD") + (isChanged ? " with changes" : "");
}

function circumstances(): Circumstances {
  return {
    commit: currentCommit(),
    date: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() },
    bun: Bun.version,
  };
}

/** Prints the measurement as JSON, and keeps it in `file` when one is named. */
export function publish(measurement: object, file: string | undefined): void {
  const text = `${JSON.stringify({ ...circumstances(), ...measurement }, null, 2)}\n`;
  process.stdout.write(text);
  if (file !== undefined) writeFileSync(file, text);
}

/** The value below which a share of the values lies (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));

export interface Summary {
  p50Ms: number;
  p95Ms: number;
  timesMs: number[];
}

export function summaryOf(timesMs: readonly number[]): Summary {
  const at = (share: number) => rounded(percentile(timesMs, share));
  return { p50Ms: at(0.5), p95Ms: at(0.95), timesMs: timesMs.map((ms) => rounded(ms)) };
}

/** What a process has used so far, from /proc. */
export interface Usage {
  cpuMs: number;
  /** Its resident memory at its highest. */
  peakBytes: number;
}

/** Linux counts CPU time in hundredths of a second for every program. */
const MS_PER_TICK = 10;

export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may hold blanks; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const peakKiB = readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmHWM:\s+(\d+) kB/m)?.[1];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK, peakBytes: Number(peakKiB) * 1024 };
}

/** Bytes of all files below a folder. */
export function folderBytes(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const child = join(path, entry.name);
    if (entry.isDirectory()) return sum + folderBytes(child);
    // A file may be collected while we look.
    return sum + (lstatSync(child, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}
