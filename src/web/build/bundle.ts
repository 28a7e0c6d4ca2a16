import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { Glob } from "bun";
import { ensureBuilt } from "../../builds.ts";
import { TerminalError } from "../../types/mod.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const APP = join(ROOT, "src", "web", "app");
const MANIFEST = "manifest.json";
const NAMES = "[name]-[hash].[ext]";
const GZIP_LEVEL = 9;
const ZSTD_LEVEL = 19;

/** The files of a build. A name holds a hash of its file's content, so what a name means never changes. */
export interface Manifest {
  /** The script and the style sheet that every page begins with. */
  script: string;
  style: string;
  /** The style sheet of all other pages. */
  moreStyle: string;
  /** Scripts that the first one always loads. */
  preload: readonly string[];
  /** All files with their media types. Beside each lie `.gz` and `.zst`. */
  files: Readonly<Record<string, string>>;
}

/** Builds the pages unless this state of their sources is built already; gives the folder. Throws TerminalError `pages`. */
function builtPages(): Promise<string> {
  const app = Array.from(new Glob("src/web/app/**/*").scanSync(ROOT)).sort();
  return ensureBuilt({
    name: "web",
    sources: [...app, "src/web/build/bundle.ts"],
    last: MANIFEST,
    make: async (folder) => writeFileSync(join(folder, MANIFEST), JSON.stringify(await build(folder))),
  });
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")) as Manifest;
}

async function build(folder: string): Promise<Manifest> {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [join(APP, "main.tsx"), join(APP, "styles", "main.css"), join(APP, "styles", "more.css")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: NAMES, chunk: NAMES, asset: NAMES },
    throw: false,
  });
  if (!success) throw new TerminalError("pages", `The pages cannot be built: ${logs.join("\n")}`);
  const files: Record<string, string> = {};
  let [script, style, moreStyle, preload] = ["", "", "", [] as readonly string[]];
  for (const output of outputs) {
    const name = output.path.replace(/^\.\//, "");
    const bytes = new Uint8Array(await output.arrayBuffer());
    files[name] = output.type;
    if (name.startsWith("main-") && name.endsWith(".css")) style = name;
    if (name.startsWith("more-") && name.endsWith(".css")) moreStyle = name;
    // Chunks that pages share can begin with `main-` too.
    if (output.kind === "entry-point") [script, preload] = [name, importsOf(new TextDecoder().decode(bytes))];
    writeFileSync(join(folder, name), bytes);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: GZIP_LEVEL }));
    const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
    writeFileSync(join(folder, `${name}.zst`), zstdCompressSync(bytes, { params }));
  }
  return { script, style, moreStyle, preload, files };
}

/** Scripts that a built script imports at its head. */
function importsOf(script: string): string[] {
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(script);
  return imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path.replace(/^\.\//, ""));
}

// As a process of its own it says where the pages are: nothing that serves waits for a build.
if (import.meta.main) console.log(await builtPages());
