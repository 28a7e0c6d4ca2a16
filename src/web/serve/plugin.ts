import { Elysia } from "elysia";
import { describeError } from "../../types/mod.ts";
import { Assets } from "./assets.ts";
import { ICON } from "./icon.ts";
import { shell } from "./shell.ts";

/** Paths at which the pages begin; below them the pages find their way themselves. */
const PAGES = ["/login", "/setup/*", "/invite/*", "/project", "/project/*", "/account", "/account/*"];
/** What a link opens. The API answers the same paths for programs. */
const SHARED = ["/shared/:token", "/shared/:token/", "/embedded/:token", "/embedded/:token/"];
const ICON_MAX_AGE_S = 86_400;

const unparsed = { parse: "none", detail: { hide: true } } as const;
const HTML_FAILED = "The pages cannot be built; the log of the front says why.\n";

type Server = Elysia["server"];
/** Answers a request for one of the pages' paths that does not come from a browser's address bar. */
type Others = (request: Request, at: "root" | "shared", server: Server) => Response | Promise<Response>;

/** The pages, and their files. They are served without a session: what a page may show the API decides. */
export class Pages {
  private told: unknown;

  constructor(
    private readonly log: (message: string) => void,
    private readonly assets = new Assets(),
  ) {}

  plugin(others: Others): Elysia {
    const app = new Elysia({ name: "pages" });
    for (const path of PAGES) app.get(path, ({ request }) => this.html(request, {}), unparsed);
    app.get(
      "/",
      ({ request, server }) => (wantsPage(request) ? this.html(request, {}) : others(request, "root", server)),
      unparsed,
    );
    for (const path of SHARED) {
      app.get(
        path,
        ({ request, server }) =>
          wantsPage(request) ? this.html(request, { isShared: true }) : others(request, "shared", server),
        unparsed,
      );
    }
    app.get("/assets/icon.svg", icon, unparsed);
    app.get("/assets/:name", ({ request, params }) => this.file(request, params.name), unparsed);
    return app as unknown as Elysia;
  }

  /** A page in place of an answer that says in JSON that a path is not there, where somebody opens it in a browser. */
  async insteadOf(answer: Response, request: Request): Promise<Response> {
    const isOpened = request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
    if (answer.status !== 404 || !isOpened || new URL(request.url).pathname.startsWith("/api/")) return answer;
    await answer.body?.cancel();
    return this.html(request, { status: 404 });
  }

  private async html(request: Request, options: { isShared?: boolean; status?: number }): Promise<Response> {
    try {
      return shell(request, await this.assets.manifest(), options);
    } catch (error) {
      return this.failed(error);
    }
  }

  private async file(request: Request, name: string): Promise<Response> {
    try {
      const found = await this.assets.answer(request, name);
      // A file of a release that is not there yet may come.
      return found ?? new Response(null, { status: 404, headers: { "Cache-Control": "no-store" } });
    } catch (error) {
      return this.failed(error);
    }
  }

  /** The log says once why the pages cannot be built, however many ask. */
  private failed(error: unknown): Response {
    if (error !== this.told) this.log(describeError(error));
    this.told = error;
    return new Response(HTML_FAILED, { status: 503 });
  }
}

function icon(): Response {
  const headers = {
    "Content-Type": "image/svg+xml",
    "Cache-Control": `public, max-age=${ICON_MAX_AGE_S}`,
    "X-Content-Type-Options": "nosniff",
  };
  return new Response(ICON, { headers });
}

/** Browsers that open an address accept HTML by name; `fetch`, curl and other programs do not. */
function wantsPage(request: Request): boolean {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.endsWith(".json") || searchParams.get("format") === "json") return false;
  return (request.headers.get("accept") ?? "").includes("text/html");
}
