import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
/** More than one: a Weir may still serve pages of the ones before. */
const KEPT_BUILDS = 5;

/** What is made of sources. */
interface Build {
  /** A folder name in `.cache`. */
  name: string;
  /** Files that decide what is made, from the root of the repository; all that is read of it, but installed packages, which `bun.lock` stands for. */
  sources: readonly string[];
  /** The file that `make` writes last. */
  last: string;
  /** Makes it in `folder`, which is renamed to `place` then. */
  make(folder: string, place: string): Promise<void>;
}

/** The folder with what is made of this state of the sources; made where there is none yet, so it is never old. */
export async function ensureBuilt({ name, sources, last, make }: Build): Promise<string> {
  const builds = join(ROOT, ".cache", name);
  const place = join(builds, stampOf(sources));
  if (existsSync(join(place, last))) return place;
  const scratch = `${place}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  try {
    await make(scratch, place);
    renameSync(scratch, place);
  } catch (error) {
    // Another process may have been faster with the same.
    if (!existsSync(join(place, last))) throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  dropOld(builds);
  return place;
}

/** Builds of older sources that no process runs: a Weir starts its processes again from the build that it began with. */
function dropOld(folder: string): void {
  const builds = readdirSync(folder).filter((name) => !name.includes("."));
  const ages = builds.map((name) => ({ path: join(folder, name), builtAtMs: statSync(join(folder, name)).mtimeMs }));
  ages.sort((a, b) => b.builtAtMs - a.builtAtMs);
  const old = ages.slice(KEPT_BUILDS);
  const running = old.length === 0 ? [] : commandLines();
  for (const { path } of old) {
    if (!running.some((line) => line.includes(`${path}/`))) rmSync(path, { recursive: true, force: true });
  }
}

/** Those of the processes of this machine. */
function commandLines(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8")];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

/** What the sources are, and what builds and runs them: others give another text. */
function stampOf(sources: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${ROOT} ${Bun.version}`);
  for (const path of ["bun.lock", "src/builds.ts", ...sources])
    hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest("hex").slice(0, 16);
}
