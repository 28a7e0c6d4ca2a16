import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Role, Weir } from "../support/weir.ts";

const LOOK_MS = 1_000;

/** All processes of a Weir at one moment. */
export interface Sample {
  atMs: number;
  /** What is in memory: of each process alone, and the files that they map once. */
  bytes: number;
  /** Program and library files, and mapped files of the lake: the kernel may drop what is not used. */
  fileBytes: number;
  /** Of each process alone. */
  processes: Record<string, number>;
}

interface OwnAndFiles {
  ownBytes: number;
  files: Map<string, number>;
}

/** The pages of a process, by /proc/PID/smaps; null when it has ended. */
function memoryOf(pid: number): OwnAndFiles | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/smaps`, "latin1");
  } catch {
    return null;
  }
  const files = new Map<string, number>();
  let [ownBytes, residentBytes, path] = [0, 0, ""];
  for (const line of text.split("\n")) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$/.exec(line);
    if (mapping !== null) path = mapping[1]!;
    else if (line.startsWith("Rss:")) residentBytes = kibOf(line);
    else if (line.startsWith("Anonymous:")) {
      const anonymousBytes = kibOf(line);
      ownBytes += anonymousBytes;
      if (residentBytes > anonymousBytes) files.set(path, (files.get(path) ?? 0) + residentBytes - anonymousBytes);
    }
  }
  return { ownBytes, files };
}

const kibOf = (line: string): number => Number(/(\d+) kB/.exec(line)?.[1]) * 1024;

/** Processes that are there now, by their pid files. */
function rolesOf(weir: Weir): Role[] {
  const names = readdirSync(join(weir.dataDir, "run")).flatMap((file) => /^(.*)\.pid$/.exec(file)?.[1] ?? []);
  return ["nats-server", ...names] as Role[];
}

function pidOf(weir: Weir, role: Role): number | null {
  try {
    return weir.pidOf(role);
  } catch {
    return null;
  }
}

function sample(weir: Weir, atMs: number): Sample {
  const files = new Map<string, number>();
  const processes: Record<string, number> = {};
  for (const role of rolesOf(weir)) {
    const pid = pidOf(weir, role);
    const memory = pid === null ? null : memoryOf(pid);
    if (memory === null) continue;
    processes[role] = memory.ownBytes;
    for (const [path, bytes] of memory.files) files.set(path, Math.max(files.get(path) ?? 0, bytes));
  }
  const fileBytes = sum([...files.values()]);
  return { atMs, bytes: sum(Object.values(processes)) + fileBytes, fileBytes, processes };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Looks, once a second by default, until `work` has ended. */
export async function during<T>(
  weir: Weir,
  work: Promise<T>,
  everyMs = LOOK_MS,
): Promise<{ result: T; samples: Sample[] }> {
  const startedAt = performance.now();
  const samples: Sample[] = [];
  const look = () => samples.push(sample(weir, Math.round(performance.now() - startedAt)));
  const timer = setInterval(look, everyMs);
  try {
    return { result: await work, samples };
  } finally {
    clearInterval(timer);
    look();
  }
}
