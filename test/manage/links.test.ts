import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const LIST = "/api/environments/1/insights/";
const PROXIED = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "weir.example" };

async function withServer(settings: Parameters<typeof startManage>[0], body: (server: ManageServer) => Promise<void>) {
  const server = await startManage(settings);
  try {
    for (let i = 0; i < 3; i++) await server.send("POST", LIST, { body: { name: `i${i}` } });
    await body(server);
  } finally {
    await server.stop();
  }
}

/** The links of the second of three pages. */
async function linksOf(server: ManageServer, headers: Record<string, string> = {}, path = `${LIST}?limit=1&offset=1`) {
  const { next, previous } = (await server.send("GET", path, { headers })).json as { next: string; previous: string };
  return [next, previous];
}

describe("links of answers", () => {
  test("follow the request, not what a stranger says was forwarded", () =>
    withServer({}, async (server) => {
      const own = [`${server.url}${LIST}?limit=1&offset=2`, `${server.url}${LIST}?limit=1`];
      expect(await linksOf(server)).toEqual(own);
      expect(await linksOf(server, PROXIED)).toEqual(own);
    }));

  test("follow what a trusted proxy says, as far as it makes sense", () =>
    withServer({ trustProxy: true }, async (server) => {
      const next = async (headers: Record<string, string>) => new URL((await linksOf(server, headers))[0]!).origin;
      expect(await next(PROXIED)).toBe("https://weir.example");
      expect(await next({ ...PROXIED, "X-Forwarded-Host": "weir.example:8443, inner" })).toBe(
        "https://weir.example:8443",
      );
      expect(await next({ ...PROXIED, "X-Forwarded-Host": "[::1]:9" })).toBe("https://[::1]:9");
      expect(await next({ "X-Forwarded-Proto": "https", Host: "weir.example" })).toBe("https://weir.example");
      expect(await next({ "X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "a/b?c" })).toBe(server.url);
    }));

  test("begin with what the operator calls the service, whatever a request says", () =>
    withServer({ publicUrl: "https://weir.example/analytics", trustProxy: true }, async (server) => {
      const base = `https://weir.example/analytics${LIST}`;
      const wanted = [`${base}?limit=1&offset=2`, `${base}?limit=1`];
      expect(await linksOf(server, { ...PROXIED, "X-Forwarded-Host": "evil.example" })).toEqual(wanted);
      const activity = (await server.send("GET", `${LIST}activity/?limit=1`)).json as { next: string };
      expect(activity.next).toBe(`${base}activity/?limit=1&page=2`);
    }));

  test("never repeat a key", () =>
    withServer({}, async (server) => {
      const links = await linksOf(server, {}, `${LIST}?limit=1&offset=1&personal_api_key=${server.key}&token=phc_x`);
      expect(links.join()).not.toMatch(/phx_|phc_|key/);
      const { next } = (await server.send("GET", `${LIST}activity/?limit=1&personal_api_key=${server.key}`)).json as {
        next: string;
      };
      expect(next).toBe(`${server.url}${LIST}activity/?limit=1&page=2`);
    }));
});

describe("WEIR_PUBLIC_URL", () => {
  test("is a web address; a slash at its end does not matter", () => {
    const read = (WEIR_PUBLIC_URL: string) => loadConfig({ WEIR_PUBLIC_URL }).publicUrl;
    expect(loadConfig({}).publicUrl).toBeNull();
    expect(read("https://weir.example")).toBe("https://weir.example");
    expect(read("https://weir.example/a/")).toBe("https://weir.example/a");
    for (const wrong of ["weir.example", "ftp://weir.example", "javascript:alert(1)"]) {
      expect(() => read(wrong)).toThrow("WEIR_PUBLIC_URL");
    }
    for (const more of ["https://me:secret@weir.example", "https://weir.example/?a=1", "https://weir.example/#a"]) {
      expect(() => read(more)).toThrow("WEIR_PUBLIC_URL must be an address without user, query and fragment");
    }
  });
});
