import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BunPlugin, Glob } from "bun";
import { ensureBuilt } from "./builds.ts";

const ROOT = join(import.meta.dir, "..");
const MAIN = "main";
/** What is started as a process or a thread of its own. */
const SCRIPTS = [
  MAIN,
  "capture/aside/asideThread",
  "lake/querying/queryProcess",
  "lake/walking/walkThread",
  "query/hogql/syntax/parseWorker",
];
/** They read files beside them when they are loaded. */
const LEFT_OUT = ["@duckdb/*", "@posthog/hogql-parser"];

/**
 * The `weir` command as a few scripts, which a process loads in less than half the time of the thousand files that they are made of. Gives
 * the one to start; `src/main.ts` runs the same from the sources.
 */
export async function builtMain(): Promise<string> {
  const place = await ensureBuilt({ name: "weir", sources: sources(), last: `${MAIN}.js`, make });
  return join(place, `${MAIN}.js`);
}

/** All but what pages are made of, which are built by themselves. */
function sources(): string[] {
  const all = [...new Glob("{src,actors}/**/*").scanSync(ROOT), "package.json"];
  return all.filter((path) => !path.startsWith("src/web/app/")).sort();
}

async function make(folder: string, place: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: SCRIPTS.map((name) => join(ROOT, "src", `${name}.ts`)),
    root: join(ROOT, "src"),
    outdir: folder,
    target: "bun",
    splitting: true,
    sourcemap: "linked",
    external: LEFT_OUT,
    define: { WEIR_BUILD: JSON.stringify(place) },
    plugins: [keepPlaces],
    throw: false,
  });
  if (!success) throw new Error(logs.join("\n"));
}

/** A source that asks where it lies, to find files beside it, lies where it did. */
const keepPlaces: BunPlugin = {
  name: "keep places",
  setup(build) {
    build.onLoad({ filter: /\/(src|actors)\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text
        .replaceAll("import.meta.dir", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path)))
        .replaceAll("import.meta.main", "false");
      return { contents, loader: "ts" };
    });
  },
};

// As a process of its own it says where the command is.
if (import.meta.main) {
  try {
    console.log(await builtMain());
  } catch (error) {
    console.error(`weir: the sources are run as they are, which takes longer: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
