import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { fillShop } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const PAGE = "/project/1";

let stage: Stage;
let visitor: Visitor;
/** Paths that were asked for since the last `forget`. */
let asked: string[] = [];

beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
  const make = async (path: string, body: object) =>
    ((await stage.weir.manage("POST", `/api/environments/1/${path}/`, body)).json as { id: number }).id;
  const board = await make("dashboards", { name: "Growth of the shop" });
  const query = {
    kind: "InsightVizNode",
    source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "signed up" }] },
  };
  await make("insights", { name: "Weekly sign-ups <b>", query, saved: true, dashboards: [board] });
  await make("cohorts", { name: "Big spenders", is_static: true });
  await make("actions", { name: "Looked at a lamp", steps: [{ event: "$pageview" }] });
  await stage.weir.manage("POST", "/api/projects/", { name: "Second shop" });
  const lampLtd = { $group_type: "company", $group_key: "lamp & co/1", $group_set: { name: "Lanterns Limited" } };
  await stage.weir.deliver([{ event: "$groupidentify", distinct_id: "person-1", properties: lampLtd }]);
  await stage.weir.waitStored();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
  watch(visitor);
  await visitor.open(`${PAGE}/insights`);
  await visitor.sees(visitor.page.getByRole("link", { name: /Weekly sign-ups/ }));
});

function watch({ page }: Visitor): void {
  asked = [];
  page.on("request", (request) => asked.push(request.url().slice(stage.weir.url.length)));
}

const combobox = () => visitor.page.getByRole("combobox", { name: /^Search pages/ });
const options = () => visitor.page.getByRole("option").allTextContents();
async function opened(): Promise<void> {
  await visitor.presses("Control+k");
  await combobox().waitFor();
}
/** Types, and waits for an option that has a text. */
async function typed(text: string, option: string): Promise<void> {
  await combobox().fill(text);
  await visitor.sees(visitor.page.getByRole("option").filter({ hasText: option }));
}
async function gone(): Promise<void> {
  await combobox().waitFor({ state: "detached" });
}

describe("the palette", () => {
  test("comes by Ctrl-K, with its script only then, and keeps what was typed before it", async () => {
    const before = asked.length;
    await visitor.page.evaluate("document.activeElement?.blur()");
    // The letter after the slash is no shortcut, however late the list comes.
    await visitor.presses("/");
    await visitor.page.locator("dialog input:focus").waitFor();
    await visitor.presses("n", "e", "w");
    await combobox().waitFor();
    expect(await combobox().inputValue()).toBe("new");
    expect(asked.slice(before).some((path) => path.endsWith(".js"))).toBe(true);
    expect(visitor.address).toBe(`${PAGE}/insights`);
    await visitor.sees(visitor.page.getByRole("option", { name: /New dashboard/ }));
    await visitor.expectFine();
    await visitor.presses("Escape");
    await gone();
  });

  test.each<[string, string, RegExp]>([
    ["heal", "Health", /^\/project\/1\/health$/],
    ["grow shop", "Growth of the shop", /^\/project\/1\/dashboard\/\d+$/],
    ["wkly", "Weekly sign-ups <b>", /^\/project\/1\/insights\/\w{8}$/],
    ["spend", "Big spenders", /^\/project\/1\/cohorts\/\d+$/],
    ["lamp", "Looked at a lamp", /^\/project\/1\/data-management\/actions\/\d+$/],
    ["person-7@exa", "person-7@example.com", /^\/project\/1\/persons\/[\da-f-]{36}$/],
    ["lanterns lim", "Lanterns Limited", /^\/project\/1\/groups\/0\/lamp & co\/1$/],
    ["page v", "Page view", /^\/project\/1\/data-management\/events\/[\da-f-]{36}$/],
    ["amoun", "amount", /^\/project\/1\/data-management\/properties\/[\da-f-]{36}$/],
    ["second", "Second shop", /^\/project\/2\/(?:home|start)$/],
    ["timezone", "Project", /^\/project\/1\/settings#project$/],
    ["make board", "New dashboard", /^\/project\/1\/dashboard\?new=$/],
  ])("finds by %p %p", async (text, option, address) => {
    await opened();
    await typed(text, option);
    await visitor.page.locator(".listbox-option.active", { hasText: option }).waitFor();
    await visitor.presses("Enter");
    await gone();
    await visitor.page.waitForURL((url) => address.test(decodeURIComponent(url.pathname + url.search + url.hash)));
  });

  test("makes a dashboard, changes the theme and signs out", async () => {
    const { page } = visitor;
    await opened();
    await typed("new dash", "New dashboard");
    await visitor.presses("Enter");
    const made = page.getByRole("dialog", { name: "New dashboard" });
    await visitor.sees(made);
    await visitor.presses("Escape");
    await page.waitForURL((url) => url.pathname + url.search === `${PAGE}/dashboard`);
    await made.waitFor({ state: "detached" });
    await opened();
    await typed("dark", "Dark theme");
    await visitor.presses("Enter");
    await page.locator("html[data-theme=dark]").waitFor({ state: "attached" });
    const window = await stage.newContext();
    await stage.logIn(window);
    await visitor.leave();
    visitor = await stage.enter(LOOKS, window);
    await visitor.open(`${PAGE}/health`);
    await visitor.sees(visitor.page.getByRole("heading", { name: "Health" }));
    await opened();
    await typed("sgnout", "Sign out");
    await visitor.presses("Enter");
    // The first address keeps the way back; the page that is loaded anew after it, so that nothing stays in memory, has none.
    await visitor.page.waitForURL(/\/login$/);
  });

  test("asks for lists once and for persons in the pauses, and ends what is old", async () => {
    const { page } = visitor;
    await opened();
    await typed("si", "signed up");
    const lists = /\/(?:dashboards|insights|cohorts|actions|event_definitions|property_definitions)\//;
    const before = asked.filter((path) => lists.test(path)).length;
    asked = [];
    await combobox().pressSequentially("gned up by person-1", { delay: 10 });
    await page.getByText("Nothing found").waitFor();
    await combobox().fill("person-11");
    await visitor.sees(page.getByRole("option").filter({ hasText: "person-11@example.com" }));
    expect(before).toBeGreaterThan(0);
    expect(asked.filter((path) => lists.test(path))).toEqual([]);
    // One for each pause, not for each of the 28 letters.
    expect(asked.filter((path) => path.includes("/persons/")).length).toBeLessThan(10);
    const stuck = Promise.withResolvers<void>();
    await page.route(/persons\/\?search=slow/, () => stuck.resolve());
    const ended = await page.evaluateHandle(() => {
      const ended: string[] = [];
      const fetched = globalThis.fetch;
      globalThis.fetch = ((input: RequestInfo, init?: RequestInit) => {
        init?.signal?.addEventListener("abort", () => ended.push(String(input)));
        return fetched(input, init);
      }) as typeof fetch;
      return ended;
    });
    await combobox().fill("slow");
    await stuck.promise;
    await combobox().fill("person-12");
    await page.waitForFunction((urls) => urls.some((url) => url.includes("search=slow")), ended);
    await visitor.sees(page.getByRole("option").filter({ hasText: "person-12@example.com" }));
  });

  test("shows groups while persons are still looked for", async () => {
    const { page } = visitor;
    const held = Promise.withResolvers<Route>();
    await page.route(/persons\/\?search=lan/, (route) => held.resolve(route));
    await opened();
    await typed("lanterns lim", "Lanterns Limited");
    await (await held.promise).continue();
  });

  test("is moved in by keyboard, on a phone and in dark as well", async () => {
    const { page } = visitor;
    await opened();
    await visitor.sees(page.getByRole("option").filter({ hasText: "Growth of the shop" }));
    await visitor.sees(page.getByRole("option").filter({ hasText: "Weekly sign-ups" }));
    const first = await page.locator(".listbox-option.active").textContent();
    await visitor.presses("ArrowDown");
    const second = await page.locator(".listbox-option.active").textContent();
    expect(second).not.toBe(first);
    const id = await combobox().getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${id}"]`).getAttribute("aria-selected")).toBe("true");
    await visitor.presses("ArrowUp", "ArrowUp", "ArrowDown");
    expect(await page.locator(".listbox-option.active").textContent()).toBe(first);
    await page.setViewportSize({ width: 360, height: 700 });
    await page.emulateMedia({ colorScheme: "dark" });
    await visitor.expectFine();
    expect((await options()).length).toBeGreaterThan(5);
  });

  test("asks for nothing that a key may not read", async () => {
    const { json } = await stage.weir.manage("POST", "/api/personal_api_keys/", {
      label: "narrow",
      scopes: ["user:read", "project:read", "organization:read", "dashboard:read", "insight:read"],
    });
    const window = await stage.newContext({
      extraHTTPHeaders: { Authorization: `Bearer ${(json as { value: string }).value}` },
    });
    await visitor.leave();
    visitor = await stage.enter(LOOKS, window);
    await visitor.open(`${PAGE}/insights`);
    await visitor.sees(visitor.page.getByRole("link", { name: /Weekly sign-ups/ }));
    watch(visitor);
    await opened();
    await typed("grow", "Growth of the shop");
    await combobox().fill("person-12");
    // Lists that the key may read can still be on their way.
    await visitor.sees(visitor.page.locator(".list-state", { hasText: /^Nothing found$/ }));
    const refused = /\/(?:persons|cohorts|actions|event_definitions|property_definitions)\//;
    expect(asked.filter((path) => refused.test(path))).toEqual([]);
    expect(await visitor.page.getByRole("option", { name: "New dashboard" }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });
});
