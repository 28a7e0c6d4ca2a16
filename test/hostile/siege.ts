import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "../bench/report.ts";
import { isRunning, processesNaming } from "../support/processes.ts";
import type { Role, Weir } from "../support/weir.ts";
import type { ProbeReport } from "./probe.ts";

const LOOK_MS = 100;
const GiB = 2 ** 30;
/** Of all processes together. */
const MEMORY_MAX_BYTES = 4 * GiB;
/** The aim is 1 s; ten times that is a front that hangs. */
const CAPTURE_HANGS_MS = 10_000;
/** No attack may cost one of them. Query processes may be ended for what they were asked. */
const HEALTHY: Role[] = ["front", "api", "worker-0", "compactor", "nats-server"];

/** Somebody else's project, whose captures and questions nobody may hold up. */
export interface Bystander {
  environmentId: number;
  projectKey: string;
}

export interface SiegeReport {
  captures: number;
  captureP99Ms: number;
  captureWorstMs: number;
  answers: number;
  answerP99Ms: number;
  answerWorstMs: number;
  peakBytes: number;
}

/**
 * Runs an attack while a bystander captures and asks. Fails when one of its captures is lost or hangs, when a question of its own is
 * not answered, when a healthy process is replaced, or when all processes together take more than 4 GB. Prints how long
 * captures and answers took.
 */
export async function besiege(weir: Weir, by: Bystander, name: string, attack: () => Promise<void>): Promise<void> {
  const pids = HEALTHY.map((role) => weir.pidOf(role));
  const watch = watchMemory(weir);
  const args = [weir.url, by.projectKey, weir.personalKey, String(by.environmentId)];
  const probe = Bun.spawn([process.execPath, join(import.meta.dir, "probe.ts"), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    await attack();
  } finally {
    probe.stdin.end();
  }
  const seen = JSON.parse(await new Response(probe.stdout).text()) as ProbeReport;
  const peakBytes = watch.end();
  const report: SiegeReport = {
    captures: seen.captured,
    captureP99Ms: Math.round(percentile(seen.captureMs, 0.99)),
    captureWorstMs: Math.round(Math.max(...seen.captureMs)),
    answers: seen.answered,
    answerP99Ms: Math.round(percentile(seen.answerMs, 0.99)),
    answerWorstMs: Math.round(Math.max(...seen.answerMs)),
    peakBytes,
  };
  console.log(JSON.stringify({ siege: name, ...report }));
  expect(seen.lost).toEqual([]);
  expect(seen.captured).toBeGreaterThan(0);
  expect(seen.unanswered).toEqual([]);
  expect(report.captureWorstMs).toBeLessThan(CAPTURE_HANGS_MS);
  expect(peakBytes).toBeLessThan(MEMORY_MAX_BYTES);
  expect(HEALTHY.map((role) => weir.pidOf(role))).toEqual(pids);
  expect(pids.filter((pid) => !isRunning(pid))).toEqual([]);
}

/** The most memory that all processes of a Weir had at one moment, pages that they share counted once. */
function watchMemory(weir: Weir): { end(): number } {
  let peakBytes = 0;
  const look = () => {
    const pids = processesNaming(weir.dataDir).map(({ pid }) => pid);
    peakBytes = Math.max(
      peakBytes,
      pids.reduce((sum, pid) => sum + proportionalBytes(pid), 0),
    );
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    end() {
      clearInterval(timer);
      return peakBytes;
    },
  };
}

function proportionalBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has ended
  }
}
