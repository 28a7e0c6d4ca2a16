import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Passwords } from "../../src/manage/mod.ts";
import { listActivity, readPasswordHash } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { Browser, EMAIL, linkOf, PASSWORD, setUp } from "./browser.ts";
import { userElse } from "./scene.ts";

const DAY_MS = 86_400_000;
const ME = "/api/users/@me/";
const SESSIONS = `${ME}sessions/`;

let server: ManageServer;
beforeEach(async () => {
  server = await startManage();
});
afterEach(() => server.stop());

const me = (browser: Browser) => browser.send("GET", ME);
const idsOf = async (browser: Browser) =>
  ((await browser.send("GET", SESSIONS)).json as { results: { id: string }[] }).results.map(({ id }) => id);

describe("a one-time link", () => {
  test("says whose it is, and is not used up by that", async () => {
    const path = `/api/setup/${await linkOf(server)}/`;
    for (let i = 0; i < 2; i++) {
      const reply = await server.send("GET", path, { key: null });
      expect(reply.json as object).toEqual({ email: EMAIL, first_name: "Owner", has_password: false });
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test("sets a password once, with e-mail and name, and logs in", async () => {
    const path = `/api/setup/${await linkOf(server)}/`;
    const browser = new Browser(server);
    const body = { password: PASSWORD, email: "ada@example.com", first_name: "Ada" };
    const reply = await browser.send("POST", path, body);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ email: "ada@example.com", first_name: "Ada", has_password: true } as never);
    expect((await me(browser)).json as object).toEqual(reply.json);
    for (const method of ["GET", "POST"]) {
      const again = await new Browser(server).send(method, path, method === "GET" ? undefined : body);
      expect([again.status, again.json]).toEqual([
        404,
        {
          type: "invalid_request",
          code: "link_not_found",
          detail: "This link was used, or is too old. `weir login-link` makes another.",
          attr: null,
        } as never,
      ]);
    }
    expect((await new Browser(server).login(PASSWORD, "ADA@example.com")).status).toBe(200);
  });

  test("works once for two that come at the same time", async () => {
    const path = `/api/setup/${await linkOf(server)}/`;
    const sent = [1, 2].map((i) => new Browser(server).send("POST", path, { password: `${PASSWORD} ${i}` }));
    expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  test("ends after 30 minutes, and with a password that another one sets", async () => {
    const [first, second] = [await linkOf(server), await linkOf(server)];
    server.nowMs += 30 * 60_000 - 1;
    expect((await server.send("GET", `/api/setup/${first}/`)).status).toBe(200);
    server.nowMs += 1;
    expect((await server.send("GET", `/api/setup/${first}/`)).status).toBe(404);
    const body = { password: PASSWORD };
    expect((await new Browser(server).send("POST", `/api/setup/${second}/`, body)).status).toBe(404);
    const [third, fourth] = [await linkOf(server), await linkOf(server)];
    expect((await new Browser(server).send("POST", `/api/setup/${third}/`, body)).status).toBe(200);
    expect((await server.send("GET", `/api/setup/${fourth}/`)).status).toBe(404);
  });

  test("ends all other sessions of its user", async () => {
    const old = await setUp(server);
    const fresh = await setUp(server);
    expect([(await me(old)).status, (await me(fresh)).status]).toEqual([401, 200]);
  });

  test("is not kept by what is refused", async () => {
    const path = `/api/setup/${await linkOf(server)}/`;
    const refused: [object, string][] = [
      [{}, "required"],
      [{ password: "elevenchars" }, "password_too_short"],
      [{ password: "é".repeat(257) }, "password_too_long"],
      [{ password: 123456789012 }, "invalid_input"],
      [{ password: PASSWORD, email: "nope" }, "invalid_input"],
    ];
    for (const [body, code] of refused) {
      const reply = await new Browser(server).send("POST", path, body);
      expect([reply.status, reply.json]).toEqual([400, expect.objectContaining({ code }) as never]);
    }
    expect((await new Browser(server).send("POST", path, { password: "é".repeat(12) })).status).toBe(200);
  });

  test("leaves neither itself, nor the password, nor the session in the store as they are", async () => {
    const token = await linkOf(server);
    const browser = new Browser(server);
    await browser.send("POST", `/api/setup/${token}/`, { password: PASSWORD });
    const rows = await server.db.read(async (tx) => [
      await tx`select * from login_links`,
      await tx`select * from sessions`,
      await tx`select * from passwords`,
      await tx`select detail from activity_log`,
    ]);
    const text = JSON.stringify(rows);
    for (const secret of [token, PASSWORD, ...browser.cookies.values()]) expect(text).not.toContain(secret);
    expect(text).toContain("$argon2id$");
    const { json } = await server.send("GET", "/api/projects/1/activity/");
    expect(JSON.stringify(json)).not.toContain(PASSWORD);
  });
});

describe("a login", () => {
  test("is answered with the user and two cookies", async () => {
    await setUp(server);
    const browser = new Browser(server);
    const reply = await browser.login();
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      email: EMAIL,
      has_password: true,
      organization: { membership_level: 15 },
    } as never);
    const [session, csrf] = reply.headers.getSetCookie();
    expect(session).toMatch(/^weir_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
    expect(csrf).toMatch(/^weir_csrf=[\w-]{43}; Path=\/; Max-Age=7776000; SameSite=Strict$/);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  test("is secure where browsers come by https", async () => {
    for (const settings of [{ publicUrl: "https://weir.example" }, { trustProxy: true }]) {
      const https = await startManage(settings);
      try {
        const forwarded = { "X-Forwarded-Proto": "https" };
        const browser = await setUp(https, forwarded);
        const cookies = (await browser.login()).headers.getSetCookie();
        expect(cookies[0]).toMatch(/^__Host-weir_session=[\w-]+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
        expect(cookies[1]).toMatch(/^__Host-weir_csrf=[\w-]+; Path=\/; .*SameSite=Strict; Secure$/);
        expect((await me(browser)).status).toBe(200);
        // A sibling of the host can set a cookie of the plain name; it counts for nothing.
        browser.cookies.set("weir_csrf", "tossed");
        expect((await browser.send("PATCH", ME, { first_name: "Ada" })).status).toBe(200);
        // Another page of the host could have set the plain one.
        const token = browser.cookies.get("__Host-weir_session")!;
        const plain = new Browser(https, forwarded).take(token);
        expect((await me(plain)).status).toBe(401);
      } finally {
        await https.stop();
      }
    }
  });

  test("says the same of a wrong password, an unknown e-mail, and a user without a password", async () => {
    await setUp(server);
    const other = await userElse(server);
    for (const [password, email] of [
      ["wrong password", EMAIL],
      [PASSWORD, "nobody@example.com"],
      [PASSWORD, other.email],
    ]) {
      const reply = await new Browser(server).login(password, email);
      expect(reply.status).toBe(400);
      expect(reply.json as object).toEqual({
        type: "validation_error",
        code: "invalid_credentials",
        detail: "Invalid email or password.",
        attr: null,
      });
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test("does the same work for an e-mail that is not known", async () => {
    class Counting extends Passwords {
      verified: (string | null)[] = [];
      override verify(password: string, hash: string | null) {
        this.verified.push(hash);
        return super.verify(password, hash);
      }
    }
    const passwords = new Counting();
    server.deps.passwords = passwords;
    await setUp(server);
    await new Browser(server).login("wrong password");
    await new Browser(server).login("wrong password", "nobody@example.com");
    const stored = await server.db.read((tx) => readPasswordHash(tx, 1));
    expect(passwords.verified).toEqual([stored, null]);
    const workOf = (hash: string) => [hash.split("$").slice(0, 4), hash.length];
    expect(workOf(passwords.noHash)).toEqual(workOf(stored!));
    expect(stored).toStartWith("$argon2id$v=19$m=65536,t=2,p=1$");
  });

  test("does not take over a session that was there before", async () => {
    const browser = await setUp(server);
    const planted = browser.cookies.get("weir_session")!;
    const victim = new Browser(server).take(planted);
    await victim.login();
    expect(victim.cookies.get("weir_session")).not.toBe(planted);
    expect((await me(browser)).status).toBe(401);

    const madeUp = new Browser(server).take("A".repeat(43));
    await madeUp.login();
    expect(madeUp.cookies.get("weir_session")).not.toBe("A".repeat(43));
    expect((await me(new Browser(server).take("A".repeat(43)))).status).toBe(401);
  });

  test("of a page of another origin is refused", async () => {
    await setUp(server);
    const link = await linkOf(server);
    const foreign: Record<string, string | null>[] = [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": null, Origin: "https://evil.example" },
      { "Sec-Fetch-Site": null, Origin: "null" },
    ];
    for (const headers of foreign) {
      const body = { email: EMAIL, password: PASSWORD };
      for (const path of ["/api/login/", `/api/setup/${link}/`]) {
        const reply = await new Browser(server).send("POST", path, body, headers);
        expect([reply.status, reply.text]).toEqual([
          403,
          expect.stringContaining("CSRF Failed: Origin checking failed"),
        ]);
      }
    }
    // No browser: it sends neither.
    expect(
      (
        await new Browser(server).send(
          "POST",
          "/api/login/",
          { email: EMAIL, password: PASSWORD },
          { "Sec-Fetch-Site": null },
        )
      ).status,
    ).toBe(200);
  });
});

describe("a session", () => {
  test("is gone after the logout", async () => {
    const browser = await setUp(server);
    const stolen = new Browser(server).take(browser.cookies.get("weir_session")!);
    const reply = await browser.send("POST", "/api/logout/");
    expect([reply.status, reply.text]).toEqual([204, ""]);
    expect(reply.headers.getSetCookie()).toEqual([
      "weir_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
      "weir_csrf=; Path=/; Max-Age=0; SameSite=Strict",
    ]);
    expect(browser.cookies.size).toBe(0);
    const refused = await me(stolen);
    expect(refused.status).toBe(401);
    expect(refused.headers.getSetCookie()).toEqual(["weir_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    expect(stolen.cookies.has("weir_session")).toBe(false);
    expect((await server.send("POST", "/api/logout/")).status).toBe(403);
  });

  test("ends after 14 days without a request", async () => {
    const browser = await setUp(server);
    server.nowMs += 14 * DAY_MS - 1;
    expect((await me(browser)).status).toBe(200);
    server.nowMs += 14 * DAY_MS - 1;
    expect((await me(browser)).status).toBe(200);
    server.nowMs += 14 * DAY_MS;
    expect((await me(browser)).status).toBe(401);
  });

  test("ends after 90 days with requests", async () => {
    const browser = await setUp(server);
    for (let day = 10; day <= 80; day += 10) {
      server.nowMs += 10 * DAY_MS;
      expect((await me(browser)).status).toBe(200);
    }
    server.nowMs += 10 * DAY_MS - 1;
    expect((await me(browser)).status).toBe(200);
    server.nowMs += 1;
    expect((await me(browser)).status).toBe(401);
  });

  test("is seen at most once a minute", async () => {
    const browser = await setUp(server);
    const seen = async () => {
      await me(browser);
      const rows: { seen_at_ms: number | string }[] = await server.db.read((tx) => tx`select seen_at_ms from sessions`);
      return Number(rows[0]!.seen_at_ms);
    };
    const made = server.nowMs;
    server.nowMs += 59_999;
    expect(await seen()).toBe(made);
    server.nowMs += 1;
    expect(await seen()).toBe(made + 60_000);
  });

  test("is listed and ended by its user, and by nobody else", async () => {
    const agent = { "User-Agent": "a phone" };
    const laptop = await setUp(server);
    server.nowMs += 1000;
    const phone = new Browser(server, agent);
    await phone.login();
    server.nowMs += 1000;
    const { json } = await laptop.send("GET", SESSIONS);
    expect(json).toMatchObject({
      count: 2,
      results: [{ is_current: false, user_agent: "a phone" }, { is_current: true }],
    } as never);
    expect((json as { results: object[] }).results[0]).toMatchObject({
      address: "127.0.0.1",
      created_at: "2026-01-15T12:00:01.000Z",
      last_seen_at: "2026-01-15T12:00:01.000Z",
    });
    for (const secret of [...laptop.cookies.values(), ...phone.cookies.values()]) {
      expect(JSON.stringify(json)).not.toContain(secret);
    }
    const [phoneId] = await idsOf(laptop);
    expect((await laptop.send("DELETE", `${SESSIONS}${phoneId}/`)).status).toBe(204);
    expect((await laptop.send("DELETE", `${SESSIONS}${phoneId}/`)).status).toBe(404);
    expect([(await me(phone)).status, (await me(laptop)).status]).toEqual([401, 200]);
    await phone.login();
    await new Browser(server).login();
    expect((await phone.send("POST", `${SESSIONS}end_others/`)).json as object).toEqual({ ended: 2 });
    expect([(await me(phone)).status, (await me(laptop)).status]).toEqual([200, 401]);
  });

  test("is not ended by a key below its level", async () => {
    const browser = await setUp(server);
    const key = (await server.createKey({ scopes: ["*"], level: "member" })).value;
    const [id] = await idsOf(browser);
    expect((await server.send("DELETE", `${SESSIONS}${id}/`, { key })).status).toBe(403);
    expect((await server.send("POST", `${SESSIONS}end_others/`, { key })).status).toBe(403);
    expect((await server.send("POST", `${SESSIONS}end_others/`)).json as object).toEqual({ ended: 1 });
  });

  test("makes keys, of its user's level where nothing is said, and none is its current one", async () => {
    const browser = await setUp(server);
    const made = await browser.send("POST", "/api/personal_api_keys/", { label: "mine", scopes: ["*"] });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ level: "owner" } as never);
    expect((await browser.send("GET", "/api/personal_api_keys/@current/")).status).toBe(404);
    expect((await browser.send("GET", `/api/personal_api_keys/${(made.json as { id: string }).id}/`)).status).toBe(200);
  });

  test("is not counted by the limits of keys", async () => {
    const limited = await startManage({ rateLimits: true });
    try {
      const browser = await setUp(limited);
      const path = "/api/projects/1/events/values/?key=plan";
      const ask = async (n: number, send: () => Promise<{ status: number }>) => {
        const statuses = new Set<number>();
        for (let i = 0; i < n; i++) statuses.add((await send()).status);
        return [...statuses];
      };
      expect(await ask(61, () => limited.send("GET", path))).toEqual([200, 429]);
      expect(await ask(61, () => browser.send("GET", path))).toEqual([200]);
    } finally {
      await limited.stop();
    }
  });
});

describe("a password", () => {
  const NEW = "another good one";

  test("is changed with the current one, and ends all other sessions and links", async () => {
    const browser = await setUp(server);
    const other = new Browser(server);
    await other.login();
    const link = await linkOf(server);
    const reply = await browser.send("PATCH", ME, { password: NEW, current_password: PASSWORD });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain(NEW);
    expect([(await me(browser)).status, (await me(other)).status]).toEqual([200, 401]);
    expect((await server.send("GET", `/api/setup/${link}/`)).status).toBe(404);
    expect((await other.login()).status).toBe(400);
    expect((await other.login(NEW)).status).toBe(200);
    const { results } = (await server.send("GET", "/api/organizations/@current/activity/")).json as {
      results?: object[];
    };
    expect(JSON.stringify(results ?? [])).not.toContain(NEW);
  });

  test("stays where the current one is missing or wrong, or the new one is too short", async () => {
    const browser = await setUp(server);
    const refused: [object, object][] = [
      [{ password: NEW }, { code: "required", attr: "current_password" }],
      [
        { password: NEW, current_password: "wrong" },
        { code: "incorrect_password", attr: "current_password" },
      ],
      [
        { password: "short", current_password: PASSWORD },
        { code: "password_too_short", attr: "password" },
      ],
    ];
    for (const [body, error] of refused) {
      const reply = await browser.send("PATCH", ME, body);
      expect([reply.status, reply.json]).toEqual([400, expect.objectContaining(error) as never]);
    }
    expect((await new Browser(server).login()).status).toBe(200);
    expect((await browser.send("PATCH", ME, { first_name: "Ada", current_password: "x" })).status).toBe(200);
  });

  test("is not set by a key", async () => {
    await setUp(server);
    const reply = await server.send("PATCH", ME, { body: { password: NEW, current_password: PASSWORD } });
    expect([reply.status, reply.json]).toEqual([403, expect.objectContaining({ code: "permission_denied" }) as never]);
  });

  test("is the same however its letters are put together, and is not trimmed", async () => {
    const browser = await setUp(server);
    await browser.send("PATCH", ME, { password: "  café au lait  ", current_password: PASSWORD });
    expect((await browser.login("  cafe\u0301 au lait  ")).status).toBe(200);
    expect((await browser.login("café au lait")).status).toBe(400);
  });
});

test("the activity log tells who came and left, and no tries that failed", async () => {
  const browser = await setUp(server);
  await browser.send("POST", "/api/logout/");
  await browser.login("wrong password");
  await browser.login();
  const { items } = await server.db.read((tx) => listActivity(tx, { scope: "User" }, { limit: 9, offset: 0 }));
  expect(items.map(({ activity, userId, teamId, detail }) => [activity, userId, teamId, detail.name])).toEqual([
    ["logged_in", 1, null, EMAIL],
    ["logged_out", 1, null, EMAIL],
    ["logged_in", 1, null, EMAIL],
    ["updated", 1, null, "Owner"],
  ]);
});

describe("the e-mail of a user", () => {
  const ADA = "ada@example.com";

  test("is changed by a session with the current password", async () => {
    const browser = await setUp(server);
    const reply = await browser.send("PATCH", ME, { email: ADA, current_password: PASSWORD });
    expect([reply.status, reply.json]).toEqual([200, expect.objectContaining({ email: ADA }) as never]);
    expect((await new Browser(server).login(PASSWORD, ADA)).status).toBe(200);
    expect((await new Browser(server).login()).status).toBe(400);
  });

  test("stays where that is missing or wrong", async () => {
    const browser = await setUp(server);
    for (const [body, code] of [
      [{ email: ADA }, "required"],
      [{ email: ADA, current_password: "wrong" }, "incorrect_password"],
    ] as const) {
      const reply = await browser.send("PATCH", ME, body);
      expect([reply.status, reply.json]).toEqual([
        400,
        expect.objectContaining({ code, attr: "current_password" }) as never,
      ]);
    }
    expect((await me(browser)).json).toMatchObject({ email: EMAIL } as never);
    // Clients send whole objects back.
    expect((await browser.send("PATCH", ME, { email: EMAIL, first_name: "Ada" })).status).toBe(200);
  });

  test("is not changed by a key, whose user could not log in any more", async () => {
    await setUp(server);
    const body = { email: ADA, current_password: PASSWORD };
    expect((await server.send("PATCH", ME, { body })).status).toBe(403);
    expect((await server.send("PATCH", ME, { body: { email: EMAIL, first_name: "Ada" } })).status).toBe(200);
    expect((await new Browser(server).login()).status).toBe(200);
  });

  test("cannot be that of another user, who could not log in any more", async () => {
    const browser = await setUp(server);
    await userElse(server);
    for (const email of ["else@example.com", "Else@Example.com"]) {
      const reply = await browser.send("PATCH", ME, { email, current_password: PASSWORD });
      expect([reply.status, reply.json]).toEqual([
        400,
        expect.objectContaining({ code: "unique", attr: "email" }) as never,
      ]);
      const path = `/api/setup/${await linkOf(server)}/`;
      expect((await new Browser(server).send("POST", path, { password: PASSWORD, email })).json).toMatchObject({
        code: "unique",
      } as never);
    }
    // In other letters it is the user's own.
    const body = { email: EMAIL.toUpperCase(), current_password: PASSWORD };
    expect((await browser.send("PATCH", ME, body)).status).toBe(200);
  });
});
