import { dirname, join } from "node:path";

const PACKAGE = dirname(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir));
/** What the page loads, and its media type; all of it lies in the installed package. */
const FILES: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};
const MAX_AGE_S = 300;

/** The only script of the page that is not the package's. No validator: that would be asked of another host. */
const START = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#viewer",
  docExpansion: "none",
  validatorUrl: null,
  deepLinking: true,
});
`;

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Weir API</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/swagger/swagger-ui.css"></head>
<body><div id="viewer"></div><script src="/swagger/swagger-ui-bundle.js"></script><script src="/swagger/start.js"></script>
</body></html>
`;

/** Nothing is loaded from elsewhere, whatever the document says. The viewer sets styles by itself and has its icons in data URLs. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The page that shows the API document. */
export function viewerPage(): Response {
  return new Response(PAGE, {
    headers: { ...headersOf("text/html; charset=utf-8"), "Content-Security-Policy": POLICY },
  });
}

/** A file of the page; null when it has none of that name. */
export function viewerFile(name: string): Response | null {
  if (name === "start.js") return new Response(START, { headers: headersOf("text/javascript; charset=utf-8") });
  const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  return type === undefined ? null : new Response(Bun.file(join(PACKAGE, name)), { headers: headersOf(type) });
}

function headersOf(type: string): Record<string, string> {
  return {
    "Content-Type": type,
    "Cache-Control": `public, max-age=${MAX_AGE_S}`,
    "X-Content-Type-Options": "nosniff",
  };
}
