import { join } from "node:path";
import { ICON } from "../../../src/web/serve/icon.ts";
import { shell } from "../../../src/web/serve/shell.ts";

/** The gallery, built and served as the pages are: the same HTML, the same policy. */
export async function serveGallery(): Promise<{ url: string } & AsyncDisposable> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "gallery.tsx"), join(import.meta.dir, "gallery.css")],
    target: "browser",
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name].[ext]" },
  });
  const files = new Map(outputs.map((output) => [`/assets/${output.path.replace(/^\.\//, "")}`, output]));
  const manifest = { script: "gallery.js", style: "gallery.css", moreStyle: "", preload: [], files: {} };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/") return shell(request, manifest, { isShared: false });
      if (pathname === "/assets/icon.svg") return new Response(ICON, { headers: { "Content-Type": "image/svg+xml" } });
      const file = files.get(pathname);
      return file === undefined ? new Response(null, { status: 404 }) : new Response(file);
    },
  });
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
}
