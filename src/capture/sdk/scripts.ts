import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** The package's built files: scripts, each whole in itself, and their source maps. */
const SERVED = /^[\w.-]+\.js(\.map)?$/;
const VERSION_IN_PATH_MAX_AGE_S = 31_536_000;
/** Where the URL names no version a new Weir shall be seen soon; the ETag makes asking again cheap. */
const MAX_AGE_S = 300;

/**
 * The files of the installed posthog-js. What can be asked for is the list of names made here, so a path is only ever a key
 * in it.
 */
export class Scripts {
  readonly version: string;
  private readonly files = new Map<string, string>();
  private readonly gzipped = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(packageFile = Bun.resolveSync("posthog-js/package.json", import.meta.dir)) {
    this.version = (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version;
    const directory = join(dirname(packageFile), "dist");
    for (const name of readdirSync(directory)) if (SERVED.test(name)) this.files.set(name, join(directory, name));
  }

  /** The text of a script that is known to exist, to be put behind other text. */
  text(name: string): Promise<string> {
    return Bun.file(this.files.get(name)!).text();
  }

  /** 200, 304 when the browser has it already, or null when there is no such file, or none of that version. */
  async answer(request: Request, name: string, version: string | null): Promise<Response | null> {
    const path = this.files.get(name);
    if (path === undefined || (version !== null && version !== this.version)) return null;
    const isGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const tag = `"${this.version}${isGzip ? "-gzip" : ""}"`;
    const headers = {
      "Content-Type": name.endsWith(".map") ? "application/json; charset=utf-8" : "text/javascript; charset=utf-8",
      "Cache-Control": cacheControl(version === null ? MAX_AGE_S : VERSION_IN_PATH_MAX_AGE_S),
      ETag: tag,
      Vary: "Accept-Encoding",
      "X-Content-Type-Options": "nosniff",
    };
    if (request.headers.get("if-none-match")?.includes(tag)) {
      return new Response(null, { status: 304, headers });
    }
    if (!isGzip) return new Response(Bun.file(path), { headers });
    return new Response(await this.gzip(name, path), { headers: { ...headers, "Content-Encoding": "gzip" } });
  }

  private async gzip(name: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.gzipped.get(name);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(gzipSync(await Bun.file(path).bytes()));
    this.gzipped.set(name, bytes);
    return bytes;
  }
}

export function cacheControl(maxAgeS: number): string {
  return `public, max-age=${maxAgeS}`;
}
