import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";
import { Browser, linkOf, PASSWORD, setUp } from "./browser.ts";
import { sessionOf } from "./scene.ts";

const ME = "/api/users/@me/";

let server: ManageServer;
let browser: Browser;
beforeAll(async () => {
  server = await startManage();
  browser = await setUp(server);
});
afterAll(() => server.stop());

type Headers = Record<string, string | null>;
const rename = (headers: Headers) => browser.send("PATCH", ME, { first_name: "Changed" }, headers);
const host = () => new URL(server.url).host;

describe("a request of a session that changes something", () => {
  test("works from a page of this origin, with its token", async () => {
    expect((await rename({})).status).toBe(200);
  });

  test("works by its Origin in a browser that tells no Sec-Fetch-Site", async () => {
    for (const origin of [`http://${host()}`, `https://${host()}`]) {
      expect((await rename({ "Sec-Fetch-Site": null, Origin: origin })).status).toBe(200);
    }
  });

  const other = "B".repeat(43);
  const refused: [string, () => Headers | Promise<Headers>, string][] = [
    ["of another site", () => ({ "Sec-Fetch-Site": "cross-site" }), "Origin checking failed"],
    ["of another port of this host", () => ({ "Sec-Fetch-Site": "same-site" }), "Origin checking failed"],
    ["of no page", () => ({ "Sec-Fetch-Site": "none" }), "Origin checking failed"],
    [
      "of another site, whatever Origin it names",
      () => ({ "Sec-Fetch-Site": "cross-site", Origin: server.url }),
      "Origin checking failed",
    ],
    [
      "of a foreign Origin",
      () => ({ "Sec-Fetch-Site": null, Origin: "https://evil.example" }),
      "Origin checking failed",
    ],
    [
      "of another port's Origin",
      () => ({ "Sec-Fetch-Site": null, Origin: "http://127.0.0.1:1" }),
      "Origin checking failed",
    ],
    ["of the Origin null", () => ({ "Sec-Fetch-Site": null, Origin: "null" }), "Origin checking failed"],
    ["of neither", () => ({ "Sec-Fetch-Site": null }), "Origin checking failed - no Origin."],
    ["without a token", () => ({ "X-CSRFToken": null }), "CSRF token missing."],
    ["with an empty token", () => ({ "X-CSRFToken": "" }), "CSRF token"],
    ["with a token that was made up", () => ({ "X-CSRFToken": other }), "HTTP header incorrect."],
    ["with the session itself as token", () => ({ "X-CSRFToken": browser.cookies.get("weir_session")! }), "incorrect."],
    [
      "with the token of another session",
      async () => {
        const { token } = await sessionOf(server);
        return { "X-CSRFToken": new Browser(server).take(token).cookies.get("weir_csrf")! };
      },
      "HTTP header incorrect.",
    ],
    [
      "with a made-up token in header and cookie",
      () => ({
        "X-CSRFToken": other,
        Cookie: `weir_session=${browser.cookies.get("weir_session")}; weir_csrf=${other}`,
      }),
      "HTTP header incorrect.",
    ],
  ];
  test.each(refused)("%s is 403", async (_, headers, reason) => {
    const reply = await rename(await headers());
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ type: "authentication_error", code: "permission_denied", attr: null } as never);
    expect((reply.json as { detail: string }).detail).toStartWith("CSRF Failed: ");
    expect((reply.json as { detail: string }).detail).toContain(reason);
  });

  test("of another page ends no session", async () => {
    expect((await browser.send("POST", "/api/logout/", {}, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await browser.send("GET", ME)).status).toBe(200);
  });

  test("may have a large body", async () => {
    const body = { name: "large", ignored: "x".repeat(500_000) };
    expect((await browser.send("POST", "/api/projects/1/insights/", body)).status).toBe(201);
    const unknown = new Browser(server).take("A".repeat(43));
    expect((await unknown.send("POST", "/api/projects/1/insights/", body)).status).toBe(401);
  });
});

describe("a cookie beside a key", () => {
  test("means nothing: the key is judged alone", async () => {
    const cross = { "Sec-Fetch-Site": "cross-site", "X-CSRFToken": null };
    expect((await rename({ ...cross, Authorization: `Bearer ${server.key}` })).status).toBe(200);
    expect((await rename({ Authorization: "Bearer phx_bogus" })).status).toBe(401);
    expect((await rename({ Authorization: "Basic abc" })).status).toBe(401);
    const send = (body: object, search = "") =>
      browser.send("PATCH", ME + search, { first_name: "New", ...body }, cross);
    expect((await send({ personal_api_key: server.key })).status).toBe(200);
    expect((await send({}, `?personal_api_key=${server.key}`)).status).toBe(200);
    const wrong = await browser.send("PATCH", ME, { first_name: "New", personal_api_key: "phx_bogus" });
    expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []]);
    expect((await browser.send("GET", `${ME}?personal_api_key=phx_bogus`)).status).toBe(401);
    const read = (await server.createKey({ scopes: ["user:read"] })).value;
    expect((await rename({ Authorization: `Bearer ${read}` })).status).toBe(403);
  });

  test("that is twice there counts as none", async () => {
    const cookie = `weir_session=${browser.cookies.get("weir_session")}`;
    expect((await browser.send("GET", ME, undefined, { Cookie: cookie })).status).toBe(200);
    expect((await browser.send("GET", ME, undefined, { Cookie: `${cookie}; weir_session=x` })).status).toBe(401);
  });
});

describe("the host", () => {
  test("of a session is where it was made, whatever the port", async () => {
    const at = (name: string) => browser.send("GET", ME, undefined, { Host: name });
    expect((await at("127.0.0.1:1")).status).toBe(200);
    const token = browser.cookies.get("weir_session")!;
    for (const name of ["localhost", "evil.example", "127.0.0.2", "127.0.0.1.evil.example"]) {
      expect((await new Browser(server).take(token).send("GET", ME, undefined, { Host: name })).status).toBe(401);
    }
  });

  const logins = (over: Headers, on = server) =>
    ["/api/login/", "/api/setup/x/"].map((path) =>
      new Browser(on).send("POST", path, { email: "a@example.com", password: PASSWORD }, over),
    );

  test("of a login is an address or localhost", async () => {
    for (const name of ["127.0.0.1:8000", "192.168.1.7", "[::1]:8000", "localhost:8000", "weir.localhost"]) {
      const [login, setup] = await Promise.all(logins({ Host: name }));
      expect([name, login!.json, setup!.json]).toEqual([
        name,
        expect.objectContaining({ code: "invalid_credentials" }) as never,
        expect.objectContaining({ code: "link_not_found" }) as never,
      ]);
      server.nowMs += 60_000;
    }
  });

  test("of a login is no other name: a foreign one may point here", async () => {
    const link = await linkOf(server);
    const names = ["evil.example", "weir", "localhost.evil.example", "127.0.0.1.nip.io", "evil.example:8000"];
    for (const name of names) {
      for (const reply of await Promise.all([
        ...logins({ Host: name }),
        new Browser(server).send("GET", `/api/setup/${link}/`, undefined, { Host: name }),
      ])) {
        expect([name, reply.status]).toEqual([name, 400]);
        expect(reply.json).toMatchObject({ code: "unknown_host" } as never);
        expect(reply.text).toContain("WEIR_PUBLIC_URL");
      }
    }
  });

  test("of a login may be that of WEIR_PUBLIC_URL, and what a trusted proxy names", async () => {
    const known = await startManage({ publicUrl: "http://weir.example", trustProxy: true });
    try {
      const hosts: [Headers, number][] = [
        [{ Host: "weir.example" }, 200],
        [{ Host: "WEIR.example:80" }, 200],
        [{ Host: "10.0.0.1", "X-Forwarded-Host": "weir.example" }, 200],
        [{ Host: "evil.example" }, 400],
        [{ Host: "weir.example", "X-Forwarded-Host": "evil.example" }, 400],
      ];
      for (const [over, status] of hosts) {
        const reply = await new Browser(known).send(
          "POST",
          `/api/setup/${await linkOf(known)}/`,
          { password: PASSWORD },
          over,
        );
        expect([over, reply.status]).toEqual([over, status]);
        if (status === 400) expect(reply.text).toContain("http://weir.example");
      }
    } finally {
      await known.stop();
    }
  });
});

test("a shared link shows the same beside a session, and no more", async () => {
  const { id } = (await server.send("POST", "/api/projects/1/insights/", { body: { name: "open" } })).json as {
    id: number;
  };
  const other = (await server.send("POST", "/api/projects/1/insights/", { body: { name: "closed" } })).json as {
    id: number;
  };
  const sharing = (shared: boolean) =>
    server.send("PATCH", `/api/projects/1/insights/${id}/sharing/`, { body: { enabled: shared } });
  const { access_token: token } = (await sharing(true)).json as { access_token: string };
  for (const path of [`/shared/${token}/`, `/api/projects/1/insights/${id}/?sharing_access_token=${token}`]) {
    const plain = await server.send("GET", path, { key: null });
    const beside = await browser.send("GET", path);
    expect([plain.status, beside.status, beside.text]).toEqual([200, 200, plain.text]);
    expect(beside.headers.getSetCookie()).toEqual([]);
  }
  const closed = `/api/projects/1/insights/${other.id}/?sharing_access_token=${token}`;
  expect((await browser.send("GET", closed)).status).toBe(404);
  await sharing(false);
  expect((await browser.send("GET", `/shared/${token}/`)).status).toBe(404);
});

test("no answer opens itself to pages of other origins", async () => {
  const origin = "https://evil.example";
  const asked: [string, string][] = [
    ["GET", ME],
    ["GET", "/api/projects/"],
    ["PATCH", ME],
    ["POST", "/api/login/"],
    ["OPTIONS", ME],
    ["OPTIONS", "/api/login/"],
    ["GET", "/api/nothing/"],
  ];
  for (const [method, path] of asked) {
    const preflight = { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-csrftoken" };
    const { headers } = await browser.send(method, path, undefined, { Origin: origin, ...preflight });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
});

describe("a request of a session that only reads", () => {
  const image = { "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" };
  const frame = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" };
  const link = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  test.each([
    ["an image of another port", { "Sec-Fetch-Site": "same-site", ...image }, 403],
    ["an image of another site", { "Sec-Fetch-Site": "cross-site", ...image }, 403],
    ["a frame of another port", { "Sec-Fetch-Site": "same-site", ...frame }, 403],
    ["a link of another site that was followed", { "Sec-Fetch-Site": "cross-site", ...link }, 200],
    ["an address that was typed", { "Sec-Fetch-Site": "none", ...link }, 200],
    ["a browser that tells nothing", { "Sec-Fetch-Site": null }, 200],
    ["a script of this origin", { "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" }, 200],
  ])("%s", async (_, headers, status) => {
    expect((await browser.send("GET", ME, undefined, headers)).status).toBe(status);
  });

  test("a key is not asked where it comes from", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site", ...image };
    expect((await server.send("GET", ME, { headers })).status).toBe(200);
  });
});
