import { join, relative } from "node:path";

/** Where the build lies that this is part of: `src/build.ts` puts it here. */
declare const WEIR_BUILD: string | undefined;

/**
 * What to start, as a process or a thread, for one of the SCRIPTS of the sources, named by its path there: what was built of it where this
 * is part of a build, so that all of Weir runs the same state; else the source itself.
 */
export function scriptOf(source: string): string {
  if (typeof WEIR_BUILD === "undefined") return source;
  return join(WEIR_BUILD, relative(import.meta.dir, source).replace(/\.ts$/, ".js"));
}
