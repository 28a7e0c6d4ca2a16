import { Elysia } from "elysia";
import { describeError } from "../../types/mod.ts";
import { Assets } from "./assets.ts";
import { ICON } from "./icon.ts";
import { shell } from "./shell.ts";

/** Paths at which the pages begin; below them the pages find their way themselves. */
const PAGES = ["/login", "/setup/*", "/project", "/project/*", "/account", "/account/*"];
/** What a link opens. The API answers the same paths for programs. */
const SHARED = ["/shared/:token", "/shared/:token/", "/embedded/:token", "/embedded/:token/"];

const unparsed = { parse: "none", detail: { hide: true } } as const;

interface PagesDeps {
  /** Answers a request for one of the pages' paths that does not come from a browser's address bar. */
  others(request: Request, at: "root" | "shared", server: Elysia["server"]): Response | Promise<Response>;
  log(message: string): void;
  assets?: Assets;
}

/** Serves the pages: the HTML that loads them, and their files. It reads no session: what a page may show the API decides. */
export function pagesPlugin({ others, log, assets = new Assets() }: PagesDeps): Elysia {
  const app = new Elysia({ name: "pages" });
  let told: unknown;
  /** What is answered where the pages cannot be built; the log says it once, however many ask. */
  const failed = (error: unknown) => {
    if (error !== told) log(describeError(error));
    told = error;
    return new Response("The pages cannot be built; the log of the front says why.\n", { status: 503 });
  };
  const page = (request: Request, isShared: boolean) =>
    assets.manifest().then((manifest) => shell(request, manifest, { isShared }), failed);
  for (const path of PAGES) app.get(path, ({ request }) => page(request, false), unparsed);
  app.get(
    "/",
    ({ request, server }) => (wantsPage(request) ? page(request, false) : others(request, "root", server)),
    unparsed,
  );
  for (const path of SHARED) {
    app.get(
      path,
      ({ request, server }) => (wantsPage(request) ? page(request, true) : others(request, "shared", server)),
      unparsed,
    );
  }
  app.get("/assets/icon.svg", () => new Response(ICON, { headers: { "Content-Type": "image/svg+xml" } }), unparsed);
  app.get(
    "/assets/:name",
    ({ request, params }) =>
      assets.answer(request, params.name).then((file) => file ?? new Response(null, { status: 404 }), failed),
    unparsed,
  );
  return app as unknown as Elysia;
}

/** Browsers that open an address accept HTML by name; `fetch`, curl and other programs do not. */
function wantsPage(request: Request): boolean {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.endsWith(".json") || searchParams.get("format") === "json") return false;
  return (request.headers.get("accept") ?? "").includes("text/html");
}
