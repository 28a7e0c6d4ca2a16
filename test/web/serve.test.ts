import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { Elysia } from "elysia";
import { Pages } from "../../src/web/mod.ts";

let app: Elysia;
let url = "";
const problems: string[] = [];

beforeAll(() => {
  const pages = new Pages((message) => problems.push(message));
  app = new Elysia()
    .use(pages.plugin((_, at) => new Response(`others: ${at}`)))
    .all("/*", ({ request }) => pages.insteadOf(Response.json({ code: "not_found" }, { status: 404 }), request), {
      parse: "none",
    })
    .listen({ port: 0, hostname: "127.0.0.1" }) as unknown as Elysia;
  url = `http://127.0.0.1:${app.server!.port}`;
});
afterAll(() => app.stop(true));

const BROWSER = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Mode": "navigate" };
const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { ...BROWSER, ...headers } });
const policyOf = (response: Response) => {
  const parts = (response.headers.get("content-security-policy") ?? "").split("; ");
  return new Map(parts.map((part) => [part.split(" ")[0]!, part.slice(part.indexOf(" ") + 1)]));
};
/** The files that a page names. */
const filesOf = (html: string) => Array.from(html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path]) => path!);

describe("a page", () => {
  test("is small HTML at every address of the pages, without a session", async () => {
    const addresses = ["/", "/login", "/login?next=%2Faccount", "/setup/abc", "/project", "/project/1/insights/new"];
    for (const path of [...addresses, "/account", "/shared/abc", "/shared/abc/", "/embedded/abc"]) {
      const response = await open(path);
      const html = await response.text();
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/html; charset=utf-8",
      ]);
      expect(html.length).toBeLessThan(1_500);
      expect(filesOf(html).length).toBeGreaterThanOrEqual(3);
      expect(response.headers.get("set-cookie")).toBeNull();
    }
    expect(problems).toEqual([]);
  });

  test("runs its own scripts alone, and makes no text a script", async () => {
    const policy = policyOf(await open("/login"));
    expect(policy.get("default-src")).toBe("'none'");
    for (const what of ["script-src", "style-src", "connect-src"]) expect(policy.get(what)).toBe("'self'");
    expect(policy.get("require-trusted-types-for")).toBe("'script'");
    expect(policy.get("trusted-types")).toBe("'none'");
    expect(policy.get("base-uri")).toBe("'none'");
    expect(policy.get("form-action")).toBe("'self'");
    const html = await (await open("/login")).text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/);
  });

  test("stands in no frame, unless it is shared", async () => {
    expect(policyOf(await open("/project/1/home")).get("frame-ancestors")).toBe("'none'");
    for (const path of ["/shared/abc", "/embedded/abc"]) {
      const shared = await open(path);
      expect(policyOf(shared).get("frame-ancestors")).toBe("*");
      expect(shared.headers.get("x-robots-tag")).toBe("noindex");
    }
  });

  test("is asked for anew each time, and keeps its type", async () => {
    const { headers } = await open("/login");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("vary")).toContain("Cookie");
  });

  test("has the theme of the cookie, and of nothing else in it", async () => {
    const themeOf = async (cookie: string) =>
      /data-theme="(.*?)"/.exec(await (await open("/", { cookie })).text())?.[1];
    expect(await themeOf("weir_theme=dark")).toBe("dark");
    expect(await themeOf("a=b; weir_theme=light; c=d")).toBe("light");
    for (const cookie of [
      "",
      "weir_theme=auto",
      'weir_theme=dark"><script>',
      "not_weir_theme=dark",
      "weir_theme=darker",
    ]) {
      expect(await themeOf(cookie)).toBeUndefined();
    }
  });

  test("answers HEAD as GET, without the body", async () => {
    const response = await fetch(`${url}/login`, { method: "HEAD", headers: BROWSER });
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "text/html; charset=utf-8",
      "",
    ]);
  });
});

describe("programs", () => {
  test("get the text at the root, and what the API has at shared paths", async () => {
    const ask = async (path: string, accept: string) => (await fetch(url + path, { headers: { accept } })).text();
    expect(await ask("/", "*/*")).toBe("others: root");
    expect(await ask("/shared/abc", "application/json")).toBe("others: shared");
    expect(await ask("/shared/abc.json", BROWSER.Accept)).toBe("others: shared");
    expect(await ask("/shared/abc?format=json", BROWSER.Accept)).toBe("others: shared");
  });

  test("get an unknown path as JSON; a browser that opens it gets a page", async () => {
    const program = await fetch(`${url}/nowhere`);
    expect([program.status, await program.json()]).toEqual([404, { code: "not_found" }]);
    const opened = await open("/nowhere");
    expect([opened.status, opened.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const api = await open("/api/nowhere");
    expect([api.status, await api.json()]).toEqual([404, { code: "not_found" }]);
    const posted = await fetch(`${url}/nowhere`, { method: "POST", headers: BROWSER, body: "a=b" });
    expect([posted.status, await posted.json()]).toEqual([404, { code: "not_found" }]);
  });
});

describe("a file", () => {
  test("is kept for a year, and comes packed as the browser takes it", async () => {
    for (const path of filesOf(await (await open("/")).text())) {
      if (path.endsWith("icon.svg")) continue;
      const get = (encodings: string) =>
        fetch(url + path, { headers: { "Accept-Encoding": encodings }, decompress: false } as RequestInit);
      const plain = await get("identity");
      const bytes = Buffer.from(await plain.arrayBuffer());
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(plain.headers.get("cache-control")).toBe("max-age=31536000, immutable");
      expect(plain.headers.get("content-type")).toMatch(/^text\/(javascript|css);\s?charset=utf-8$/);
      expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
      expect(plain.headers.get("vary")).toBe("Accept-Encoding");
      for (const [encodings, encoding, unpack] of [
        ["gzip, deflate, br", "gzip", gunzipSync],
        ["gzip, deflate, br, zstd", "zstd", zstdDecompressSync],
        ["zstd;q=0, gzip", "gzip", gunzipSync],
      ] as const) {
        const packed = await get(encodings);
        expect(packed.headers.get("content-encoding")).toBe(encoding);
        const body = Buffer.from(await packed.arrayBuffer());
        expect(body.length).toBeLessThan(bytes.length);
        expect(Buffer.compare(unpack(body), bytes)).toBe(0);
      }
    }
  });

  test("of another name is not there, and that is not kept", async () => {
    for (const name of ["nosuch.js", "manifest.json", "..%2f..%2fpackage.json", "constructor", "__proto__"]) {
      const response = await fetch(`${url}/assets/${name}`);
      expect([name, response.status, response.headers.get("cache-control")]).toEqual([name, 404, "no-store"]);
    }
  });

  test("icon.svg is a picture", async () => {
    const response = await fetch(`${url}/assets/icon.svg`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });
});
