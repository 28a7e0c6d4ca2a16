import { join } from "node:path";
import { describeError, TerminalError } from "../../types/mod.ts";
import { type Manifest, readManifest } from "../build/bundle.ts";

const BUILDER = join(import.meta.dir, "..", "build", "bundle.ts");
const YEAR_S = 31_536_000;
/** A build takes seconds; one that takes longer hangs. */
const BUILD_MAX_MS = 120_000;
/** A build that failed is what all requests of so long get: strangers must not keep a core busy with others. */
const FAILED_FOR_MS = 10_000;
/** In the order in which they are preferred. */
const ENCODINGS = [
  ["zstd", ".zst"],
  ["gzip", ".gz"],
] as const;

/** The built files of the pages, from memory. */
export class Assets {
  private loaded: Promise<Loaded> | undefined;
  /** When a load may begin again; never, while there is one and after one that went well. */
  private loadAgainMs = 0;

  /** `builder`: a program that has the pages built and prints their folder. */
  constructor(
    private readonly builder = BUILDER,
    private readonly now = () => Date.now(),
  ) {}

  /**
   * What a page begins with. The first call has the pages built, where they are not; others wait for that build. Throws
   * TerminalError `pages`.
   */
  async manifest(): Promise<Manifest> {
    return (await this.load()).manifest;
  }

  /** A file for a request; null where there is none of that name. */
  async answer(request: Request, name: string): Promise<Response | null> {
    const { manifest, contents } = await this.load();
    const type = Object.hasOwn(manifest.files, name) ? manifest.files[name]! : undefined;
    if (type === undefined) return null;
    const accepted = request.headers.get("accept-encoding") ?? "";
    const [encoding, suffix] = ENCODINGS.find(([one]) => takes(accepted, one)) ?? [null, ""];
    const headers: Record<string, string> = {
      "Content-Type": type,
      "Cache-Control": `max-age=${YEAR_S}, immutable`,
      "X-Content-Type-Options": "nosniff",
      Vary: "Accept-Encoding",
      ...(encoding !== null && { "Content-Encoding": encoding }),
    };
    return new Response(contents.get(`${name}${suffix}`)!, { headers });
  }

  private load(): Promise<Loaded> {
    if (this.now() >= this.loadAgainMs) {
      this.loadAgainMs = Number.POSITIVE_INFINITY;
      this.loaded = load(this.builder).catch((error) => {
        this.loadAgainMs = this.now() + FAILED_FOR_MS;
        throw error;
      });
    }
    return this.loaded!;
  }
}

/** Whether an `Accept-Encoding` names an encoding without refusing it. */
function takes(header: string, encoding: string): boolean {
  return header.split(",").some((part) => {
    const [name = "", ...params] = part.split(";").map((text) => text.trim().toLowerCase());
    return name === encoding && !params.some((param) => /^q=0(\.0*)?$/.test(param));
  });
}

interface Loaded {
  manifest: Manifest;
  /** By the name of the file, with its suffix. */
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** A build takes longer than the loop of a front may stand still, so another process does it. */
async function load(program: string): Promise<Loaded> {
  const builder = Bun.spawn([process.execPath, program], {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
    timeout: BUILD_MAX_MS,
  });
  const [out, problem, code] = await Promise.all([
    new Response(builder.stdout).text(),
    new Response(builder.stderr).text(),
    builder.exited,
  ]);
  if (code !== 0) throw new TerminalError("pages", describeError(problem.trim()));
  const folder = out.trim();
  const manifest = readManifest(folder);
  const names = Object.keys(manifest.files).flatMap((name) => ["", ".gz", ".zst"].map((suffix) => name + suffix));
  const read = async (name: string) => [name, await Bun.file(join(folder, name)).bytes()] as const;
  return { manifest, contents: new Map(await Promise.all(names.map(read))) };
}
