import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import { cornerOf } from "./support/pixel.ts";
import { EMAIL, PASSWORD, Stage } from "./support/stage.ts";
import type { Looks, Visitor } from "./support/visitor.ts";

const LOOKS: Looks = { width: 1440, scheme: "light" };
const QUESTION = `#q=${encodeURIComponent('{"kind":"InsightVizNode","source":{"kind":"TrendsQuery","series":[{"kind":"EventsNode","event":"bought","name":"bought"}]}}')}`;

let stage: Stage;
const windows: BrowserContext[] = [];
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
});
afterEach(async () => {
  await Promise.all(windows.splice(0).map((window) => window.close()));
});
afterAll(() => stage[Symbol.asyncDispose]());

async function stranger(looks = LOOKS): Promise<Visitor> {
  const window = await stage.newContext();
  windows.push(window);
  return stage.enter(looks, window);
}

async function fillIn({ page }: Visitor, password: string, email = EMAIL): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

describe("the login page", () => {
  test("says that a password is wrong, and takes the right one then", async () => {
    const visitor = await stranger();
    visitor.expects(/status of 400 /);
    await visitor.open("/");
    await visitor.sees("Log in to Weir");
    await visitor.expectFine();
    await fillIn(visitor, "wrong horse battery");
    await visitor.sees(visitor.page.getByRole("alert").getByText("Invalid email or password."));
    await visitor.expectFine();
    await fillIn(visitor, PASSWORD);
    await visitor.page.waitForURL(/\/project\/1\/home$/);
    await visitor.expectFine();
  });

  test("says when to come back after too many tries", async () => {
    const visitor = await stranger();
    visitor.expects(/status of 400 /);
    await visitor.open("/login");
    const problem = visitor.page.getByRole("alert");
    for (let tries = 0; tries < 5; tries++) {
      await fillIn(visitor, "wrong horse battery", "guessed@example.com");
      await visitor.sees(problem.getByText("Invalid email or password."));
    }
    await fillIn(visitor, "wrong horse battery", "guessed@example.com");
    await visitor.sees(problem.getByText(/too many tries. Try again in \d+ seconds/));
    await visitor.expectFine();
    // Others are not kept out by it.
    await fillIn(visitor, PASSWORD);
    await visitor.page.waitForURL(/\/project\/1\/home$/);
  });

  // Addresses of other hosts in all the ways that browsers read them.
  const ELSEWHERE = [
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "https:evil.example",
    "https://evil.example/",
    "javascript:globalThis.isHurt=1",
    "data:text/html,hello",
    "/login?next=//evil.example/",
  ];

  test("leads to no other host", async () => {
    const known = await stage.enter(LOOKS);
    for (const next of ELSEWHERE) {
      await known.open(`/login?next=${encodeURIComponent(next)}`);
      await known.page.waitForURL(/\/project\/1\/home$/);
    }
    expect(await known.page.evaluate(() => "isHurt" in globalThis)).toBe(false);
    expect(known.complaints).toEqual([]);
    await known.leave();
    for (const next of ELSEWHERE.slice(0, 3)) {
      const unknown = await stranger();
      await unknown.open(`/login?next=${encodeURIComponent(next)}`);
      await fillIn(unknown, PASSWORD);
      await unknown.page.waitForURL(/\/project\/1\/home$/);
      expect(unknown.complaints).toEqual([]);
    }
  });

  test("is where a page leads that needs a session, and back, with the question", async () => {
    const visitor = await stranger();
    await visitor.open(`/project/1/insights/new${QUESTION}`);
    await visitor.page.waitForURL(/\/login\?next=/);
    await fillIn(visitor, PASSWORD);
    await visitor.page.waitForURL((url) => url.pathname === "/project/1/insights/new");
    expect(visitor.address).toBe(`/project/1/insights/new${QUESTION}`);
    await visitor.sees(visitor.page.getByRole("region", { name: "Question" }).getByText("bought"));
    expect(visitor.complaints).toEqual([]);
  });

  test("is where a session leads that was ended elsewhere, and back, with the question", async () => {
    const visitor = await stranger();
    await visitor.open(`/login?next=${encodeURIComponent(`/project/1/insights/new${QUESTION}`)}`);
    await fillIn(visitor, PASSWORD);
    await visitor.sees(visitor.page.getByRole("region", { name: "Question" }).getByText("bought"));
    const elsewhere = await stranger();
    await elsewhere.open("/login?next=/account");
    await fillIn(elsewhere, PASSWORD);
    await elsewhere.clicks("button", "Log out everywhere else");
    await elsewhere.sees("All other sessions are over");
    // The next thing that is asked of the API.
    await visitor.page.getByRole("button", { name: "Calculate again" }).click();
    await visitor.page.waitForURL(/\/login\?next=/);
    await fillIn(visitor, PASSWORD);
    await visitor.page.waitForURL((url) => url.pathname === "/project/1/insights/new");
    expect(visitor.address).toBe(`/project/1/insights/new${QUESTION}`);
    await visitor.sees(visitor.page.getByRole("region", { name: "Question" }).getByText("bought"));
    expect([...visitor.complaints, ...elsewhere.complaints]).toEqual([]);
    // Of this window only the one session is left to end.
    await stage.logIn();
  });
});

describe("a session", () => {
  test("ends in all tabs of a window with the logout, and nothing of it is left in sight", async () => {
    const visitor = await stranger();
    await visitor.open("/login");
    await fillIn(visitor, PASSWORD);
    await visitor.page.waitForURL(/\/home$/);
    await visitor.clicks("link", "Dashboards");
    await visitor.sees(visitor.page.getByRole("heading", { name: "Dashboards" }));
    await visitor.clicks("button", "Ada");
    await visitor.clicks("menuitem", "Log out");
    await visitor.sees("Log in to Weir");
    await visitor.page.goBack();
    await visitor.sees("Log in to Weir");
    expect(visitor.complaints).toEqual([]);
  });
});

describe("a setup link", () => {
  test("that was used says how to get another, and asks for no password", async () => {
    const visitor = await stranger();
    await visitor.open(stage.setupPath);
    await visitor.sees("This link does not work any more");
    await visitor.sees("scripts/weir login-link");
    expect(await visitor.page.locator("input").count()).toBe(0);
    await visitor.expectFine();
    await visitor.clicks("link", "Log in");
    await visitor.sees("Log in to Weir");
  });
});

describe("the theme", () => {
  test("is there with the first paint, before any script", async () => {
    const visitor = await stranger();
    const { page } = visitor;
    await visitor.open("/login");
    await fillIn(visitor, PASSWORD);
    await page.waitForURL(/\/home$/);
    const light = await cornerOf(page);
    await visitor.clicks("button", "Ada");
    await visitor.clicks("menuitemradio", "Dark");
    const dark = await cornerOf(page);
    expect(dark).not.toEqual(light);
    // Scripts that never come: what is painted then is the first paint.
    await page.route(/\/assets\/.*\.js$/, () => {});
    await page.goto(page.url(), { waitUntil: "commit" });
    await until("the style sheet", HANG_MS, () => page.evaluate<boolean>("document.styleSheets.length > 0"));
    expect(await cornerOf(page)).toEqual(dark);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.reload();
    await visitor.sees("Home");
    expect(await cornerOf(page)).toEqual(dark);
    expect(visitor.complaints).toEqual([]);
  });
});
