/**
 * How the memory of a Weir on one machine is divided. One budget (`WEIR_MEMORY`), of which each part has its own; a setting of a part
 * itself comes first.
 */
import { TerminalError } from "./types/mod.ts";

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** Bytes of each part. */
export interface MemoryParts {
  /** Program files, the supervisor, the api process, and what the others take while they have nothing to do. */
  programs: number;
  /** What nats-server is to keep to. */
  broker: number;
  /** Bodies in the front's hands. */
  bodies: number;
  /** Of all workers. */
  workers: number;
  compactor: number;
  /** DuckDB's, of all exporters. */
  exporters: number;
  /** DuckDB's, of all query processes. */
  queries: number;
}

/** What a Weir is run on. */
export interface Machine {
  /** Its memory, or that of its cgroup. */
  memoryBytes: number;
  workers: number;
}

/** What the parts take at growing budgets; between two levels each part grows as much of its way as all others. */
function levelsOf({ memoryBytes, workers }: Machine): MemoryParts[] {
  const each = Math.max(1, workers);
  // A question over much data may take more than everything else together, but only while it runs.
  const queries = Math.min(4 * GiB, Math.floor((memoryBytes * 3) / 8));
  return [
    level({ broker: 64, bodies: 64, workers: 256 * each, compactor: 160, exporters: 64, queries: 192 }),
    level({ broker: 112, bodies: 128, workers: 384 * each, compactor: 320, exporters: 192, queries: 512 }),
    level({
      broker: 144,
      bodies: 256,
      workers: 512 * each,
      compactor: 384,
      exporters: 512,
      queries: Math.floor(queries / MiB),
    }),
    level({ broker: 512, bodies: 256, workers: 2560 * each, compactor: 1536, exporters: 512, queries: 65_536 }),
  ].map((parts, i, all) => (i === 0 ? parts : notBelow(parts, all[i - 1]!)));
}

const PROGRAMS_MIB = 384;

function level(mib: Omit<MemoryParts, "programs">): MemoryParts {
  return mapped({ programs: PROGRAMS_MIB, ...mib }, (n) => n * MiB);
}

/** On a small machine the usual size of queries is below that of the level before. */
const notBelow = (parts: MemoryParts, least: MemoryParts): MemoryParts =>
  mapped(parts, (bytes, name) => Math.max(bytes, least[name]));

function mapped(parts: MemoryParts, of: (bytes: number, name: keyof MemoryParts) => number): MemoryParts {
  const names = Object.keys(parts) as (keyof MemoryParts)[];
  return Object.fromEntries(names.map((name) => [name, of(parts[name], name)])) as unknown as MemoryParts;
}

/** All parts together. */
export const sumOf = (parts: MemoryParts): number => Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);

/** The budget where none is set: three quarters of the machine, but no more than is of use to most, and no less than is needed. */
export function defaultBudget(machine: Machine): number {
  const [least, , usual] = levelsOf(machine).map(sumOf);
  return Math.max(least!, Math.min(usual!, Math.floor((machine.memoryBytes * 3) / 4)));
}

/** Divides a budget. Their sum is at most the budget. Throws TerminalError `invalid_setting` for a budget that is too small. */
export function memoryParts(budgetBytes: number, machine: Machine): MemoryParts {
  const levels = levelsOf(machine);
  const least = sumOf(levels[0]!);
  if (budgetBytes < least) {
    throw new TerminalError(
      "invalid_setting",
      `WEIR_MEMORY must be at least ${least} (${Math.round(least / MiB)} MiB) with ${machine.workers} worker(s), not ${budgetBytes}`,
    );
  }
  const above = levels.findIndex((parts) => sumOf(parts) >= budgetBytes);
  if (above === -1) return levels.at(-1)!;
  if (above === 0) return levels[0]!;
  const [from, to] = [levels[above - 1]!, levels[above]!];
  const way = (budgetBytes - sumOf(from)) / (sumOf(to) - sumOf(from));
  return mapped(from, (bytes, name) => bytes + Math.floor(((to[name] - bytes) * way) / MiB) * MiB);
}

const FLUSH_LEAST_BYTES = 4 * MiB;
const FLUSH_MOST_BYTES = 128 * MiB;
/** Of the compactor beside DuckDB. */
const COMPACTOR_OWN_BYTES = 64 * MiB;
/** Two flushes of events of 1 MB. Events of usual size take much less. */
const LEAST_WORKER_ENGINE_BYTES = 192 * MiB;
const LEAST_ENGINE_BYTES = 64 * MiB;

/** What a worker's part is used for: a flush takes about twelve times its text, and two are under way. */
export function workerMemory(parts: MemoryParts, workers: number): { engineBytes: number; flushBytes: number } {
  const bytes = Math.floor(parts.workers / Math.max(1, workers));
  const flushBytes = Math.floor(bytes / 20);
  return {
    engineBytes: Math.max(LEAST_WORKER_ENGINE_BYTES, Math.floor(bytes / 2)),
    flushBytes: Math.min(FLUSH_MOST_BYTES, Math.max(FLUSH_LEAST_BYTES, flushBytes)),
  };
}

/** DuckDB's limit in the compactor. */
export const compactorEngineBytes = ({ compactor }: MemoryParts): number =>
  Math.max(LEAST_ENGINE_BYTES, compactor - COMPACTOR_OWN_BYTES);
