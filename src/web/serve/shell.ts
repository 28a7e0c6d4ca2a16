import type { Manifest } from "../build/bundle.ts";

/**
 * Everything that a page shows was sent by strangers: nothing but the pages' own files runs, and no text becomes a script.
 * Shared pages may stand in frames of other sites.
 */
const policy = (frameAncestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-ancestors ${frameAncestors}`,
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-cache",
  // What is answered depends on the theme, and at some addresses on what the client takes.
  Vary: "Accept, Cookie",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

const THEMES = ["light", "dark"] as const;
/** Holds the reader's choice; without it the system decides. */
const THEME_COOKIE = /(?:^|;\s*)weir_theme=(light|dark)(?:;|$)/;

interface ShellOptions {
  /** What a link shows without a login. */
  isShared?: boolean;
  status?: number;
}

/** The page that loads the pages. */
export function shell(request: Request, manifest: Manifest, { isShared = false, status }: ShellOptions): Response {
  const [, chosen] = THEME_COOKIE.exec(request.headers.get("cookie") ?? "") ?? [];
  const theme = THEMES.find((name) => name === chosen);
  const html = `<!doctype html>
<html lang="en" data-more-styles="/assets/${manifest.moreStyle}"${theme === undefined ? "" : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weir</title>
<link rel="stylesheet" href="/assets/${manifest.style}">
${manifest.preload.map((name) => `<link rel="modulepreload" href="/assets/${name}">\n`).join("")}<script type="module" src="/assets/${manifest.script}"></script>
<link rel="icon" href="/assets/icon.svg">
</head>
<body><div id="app"></div><noscript>Weir's pages need JavaScript. /swagger describes its API.</noscript></body>
</html>
`;
  const headers = {
    ...HEADERS,
    "Content-Security-Policy": policy(isShared ? "*" : "'none'"),
    ...(isShared && { "X-Robots-Tag": "noindex" }),
  };
  return new Response(html, { headers, status });
}
