import { afterAll, beforeAll, expect, test } from "bun:test";
import { runCommand, WEIR, weirOn } from "../commands/weirProcess.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const PASSWORD = "correct horse battery";
const LINK = /http:\/\/127\.0\.0\.1:\d+\/setup\/([\w-]{43})/;
const OWN_PAGE = { "sec-fetch-site": "same-origin" };
const TRIES = 10_000;
const TRIES_AT_ONCE = 40;

let weir: Weir;
/** What a browser sends after the login. */
let cookies: string;
beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_METRICS_TOKEN: "metrics-token" } });
  cookies = "";
});
afterAll(() => weir[Symbol.asyncDispose]());

const me = (cookie: string) => fetch(`${weir.url}/api/users/@me/`, { headers: { cookie } });
const setUp = (token: string) =>
  weir.post(`/api/setup/${token}/`, JSON.stringify({ password: PASSWORD, email: "ada@example.com" }), OWN_PAGE);

test("a start prints a link until the owner has a password, and `weir login-link` makes others", async () => {
  const first = LINK.exec(weir.output)![1]!;
  await weir.restart();
  const second = LINK.exec(weir.output)![1]!;
  expect(second).not.toBe(first);

  const made = await weirOn(weir.dataDir, ["login-link"]);
  expect([made.code, made.out]).toEqual([0, expect.stringMatching(LINK) as never]);
  expect(made.out).toStartWith(weir.url);
  expect(made.error).toContain("owner@localhost.localdomain");
  const unknown = await weirOn(weir.dataDir, ["login-link", "--email", "nobody@example.com"]);
  expect([unknown.code, unknown.error.trim()]).toEqual([1, "weir: There is no user nobody@example.com."]);
  const env = { WEIR_DATA_DIR: weir.dataDir, WEIR_PUBLIC_URL: "https://weir.example/" };
  const json = await runCommand([WEIR, "login-link", "--json"], { env });
  expect(JSON.parse(json.out)).toEqual({
    url: expect.stringMatching(/^https:\/\/weir\.example\/setup\/[\w-]{43}$/),
    email: "owner@localhost.localdomain",
  });

  const reply = await setUp(LINK.exec(made.out)![1]!);
  expect(reply.status).toBe(200);
  cookies = reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
  expect((await me(cookies)).status).toBe(200);
  for (const token of [first, second]) expect((await setUp(token)).status).toBe(404);

  await weir.restart();
  expect(weir.output).not.toMatch(LINK);
  // A session outlives a restart.
  expect((await me(cookies)).status).toBe(200);
});

test("a session means nothing where events, flags and files are", async () => {
  const origin = "https://shop.example";
  const json = { "content-type": "application/json", origin };
  const event = { event: "seen", distinct_id: "ada", uuid: "0190d6e2-0000-7000-8000-000000000001" };
  const asked: [string, RequestInit][] = [
    ["/capture/", { method: "POST", headers: json, body: JSON.stringify({ ...event, api_key: weir.projectKey }) }],
    ["/capture/", { method: "POST", headers: json, body: JSON.stringify(event) }],
    ["/batch/", { method: "POST", headers: json, body: JSON.stringify({ batch: [event] }) }],
    ["/flags/?v=2", { method: "POST", headers: json, body: JSON.stringify({ distinct_id: "ada" }) }],
    [
      "/flags/?v=2",
      { method: "POST", headers: json, body: JSON.stringify({ token: weir.projectKey, distinct_id: "a" }) },
    ],
    ["/static/array.js", { headers: { origin } }],
    ["/static/loader.js", { headers: { origin } }],
    [`/array/${weir.projectKey}/config`, { headers: { origin } }],
    ["/metrics", {}],
    ["/shared/unknown/", {}],
    ["/_readiness", {}],
    ["/", {}],
  ];
  const shown = async (path: string, init: RequestInit, cookie: string) => {
    const headers = { ...init.headers, ...(cookie === "" ? {} : { cookie }) };
    const reply = await fetch(weir.url + path, { ...init, headers });
    const body = (await reply.text()).replace(/"request_?id":"[^"]+"/gi, "").replace(/"evaluatedAt":\d+/, "");
    const own = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
    return { path, status: reply.status, headers: own, body };
  };
  for (const [path, init] of asked) {
    const plain = await shown(path, init, "");
    for (const cookie of [cookies, `weir_session=${"A".repeat(43)}`])
      expect(await shown(path, init, cookie)).toEqual(plain);
    expect(plain.headers.map(([name]) => name)).not.toContain("set-cookie");
  }
  expect((await shown("/metrics", {}, cookies)).status).toBe(401);
  expect((await shown("/shared/unknown/", {}, cookies)).status).toBe(404);
});

test("10,000 tries of a password are slowed, and no event is refused meanwhile", async () => {
  const statuses: Record<number, number> = {};
  let left = TRIES;
  const body = JSON.stringify({ email: "ada@example.com", password: "wrong password" });
  const guess = async () => {
    while (left-- > 0) {
      const { status } = await weir.post("/api/login/", body);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const before = (await weir.ingestionStatus()).accepted;
  const guessing = Promise.all(Array.from({ length: TRIES_AT_ONCE }, guess));
  let sent = 0;
  let isOver = false;
  void guessing.then(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await weir.capture({ event: "meanwhile", distinct_id: `user ${sent}` })).status).toBe(200);
    sent++;
  }
  await guessing;
  const { 400: tried = 0, 429: slowed = 0 } = statuses;
  expect(tried + slowed).toBe(TRIES);
  // 5 a minute and 20 an hour.
  expect(tried).toBeGreaterThanOrEqual(5);
  expect(tried).toBeLessThanOrEqual(20);
  expect(sent).toBeGreaterThan(0);
  expect((await weir.waitStored()).accepted - before).toBe(sent);
  expect(await weir.number("select count() from events where event = 'meanwhile'")).toBe(sent);
  expect((await me(cookies)).status).toBe(200);
});

test("a logout ends the session in every process", async () => {
  const csrf = /weir_csrf=([\w-]+)/.exec(cookies)![1]!;
  const logout = (headers: Record<string, string>) =>
    weir.post("/api/logout/", "", { ...OWN_PAGE, cookie: cookies, ...headers });
  expect((await logout({})).status).toBe(403);
  expect((await logout({ "x-csrftoken": csrf, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await logout({ "x-csrftoken": csrf })).status).toBe(204);
  expect((await me(cookies)).status).toBe(401);
});
