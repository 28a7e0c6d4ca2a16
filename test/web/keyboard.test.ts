import { afterAll, beforeAll, expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { Question } from "./support/question.ts";
import { fillShop } from "./support/shopEvents.ts";
import { EMAIL, PASSWORD, Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

// Without a mouse from the login to a dashboard and the people behind a number. Nothing in this file clicks.

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
});
afterAll(() => stage[Symbol.asyncDispose]());

const MOST_TABS = 120;

/** What has the focus: "role: name", the role where it is named, and whether an eye can see that it has it. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return { name: "", isSeen: true };
  const labelled = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
  const name = element.getAttribute("aria-label") || labelled || element.labels?.[0]?.textContent || element.textContent || element.placeholder || "";
  // What is hidden itself shows its focus around its label.
  const shown = element.closest("label") ?? element;
  const box = shown.getBoundingClientRect();
  const isInSight = box.width > 3 && box.height > 3 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  const style = (one) => getComputedStyle(one);
  const hasRing = [element, shown, element.parentElement].some((one) => one !== null && (style(one).outlineStyle !== "none" || style(one).boxShadow !== "none"));
  // In a menu the line is filled.
  const isFilled = element.matches("[role^=menuitem]") && style(element).backgroundColor !== style(element.parentElement).backgroundColor;
  const role = element.getAttribute("role");
  return { name: (role === null ? "" : role + ": ") + name.trim(), isSeen: isInSight && element.matches(":focus-visible") && (hasRing || isFilled) };
})()`;

class Typist {
  /** Stops of the Tab key at which no eye could see the focus. */
  readonly unseen: string[] = [];

  constructor(readonly visitor: Visitor) {}

  /** The first key has the page load what minds the focus. */
  async begins(): Promise<void> {
    const { page } = this.visitor;
    await Promise.all([page.waitForResponse(/keepFocus/), this.press("Tab")]);
    await page.waitForLoadState("networkidle");
  }

  private async focused(): Promise<string> {
    const { name, isSeen } = await this.visitor.page.evaluate<{ name: string; isSeen: boolean }>(FOCUSED);
    if (!isSeen) this.unseen.push(name);
    return name;
  }

  /** Presses Tab (or Shift+Tab) until something of this name has the focus. */
  async to(name: RegExp, key = "Tab"): Promise<void> {
    const passed: string[] = [];
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      await this.visitor.presses(key);
      passed.push(await this.focused());
      if (name.test(passed.at(-1)!)) return;
    }
    throw new Error(`Tab does not lead to ${name}, but to ${JSON.stringify(passed)}`);
  }

  /** Waits until the focus is on something of this name. */
  async isOn(name: RegExp): Promise<void> {
    await until(`the focus on ${name}`, HANG_MS, async () => name.test(await this.focused()));
  }

  type(text: string): Promise<void> {
    return this.visitor.page.keyboard.type(text);
  }

  press(...keys: string[]): Promise<void> {
    return this.visitor.presses(...keys);
  }
}

test("everything on the way to a dashboard and to people can be done by keyboard alone", async () => {
  const visitor = await stage.enter({ width: 1440, scheme: "light" }, await stage.newContext());
  const { page } = visitor;
  const question = new Question(visitor);
  const typist = new Typist(visitor);

  await visitor.open("/");
  await visitor.sees("Log in to Weir");
  // The first field has the focus.
  await typist.type(EMAIL);
  await typist.to(/^Password/);
  await typist.type(PASSWORD);
  await typist.press("Enter");
  await page.waitForURL(/\/home$/);
  await visitor.sees(page.getByRole("heading", { level: 1 }));

  // A question.
  await typist.press("n");
  await question.drawn();
  await typist.to(/^Page view/);
  await typist.press("Enter");
  await typist.type("signed");
  await visitor.sees(page.locator(".listbox-option").getByText("signed up"));
  await typist.press("Enter");
  await visitor.sees(question.form.getByText("signed up"));
  await typist.to(/^What is counted/);
  await typist.type("Unique p");
  await typist.to(/^Breakdown/);
  await typist.press("Enter");
  await typist.type("plan");
  await visitor.sees(page.locator(".listbox-option").getByText("plan", { exact: true }));
  await typist.press("Enter");
  await visitor.sees(question.form.getByRole("group", { name: "Breakdown" }).getByText("plan"));
  await question.drawn("canvas");

  // The people behind a number of it.
  await typist.to(/^slider: /);
  await typist.press("Home", "ArrowRight");
  const place = () => page.getByRole("slider").getAttribute("aria-valuetext");
  const asked = await place();
  await typist.press("Enter");
  const { said, listed } = await question.people();
  expect(Number.parseInt(said, 10)).toBe(listed);
  await typist.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("slider");
  // At the place that was asked about.
  expect(await place()).toBe(asked);
  await typist.press("ArrowLeft", "ArrowRight");
  expect(await place()).toBe(asked);

  // Onto a new dashboard.
  await typist.to(/^Name$/, "Shift+Tab");
  await typist.type("By keyboard");
  await typist.to(/^Add to dashboard/);
  await typist.press("Enter");
  await visitor.sees(page.getByRole("dialog", { name: "Add to dashboards" }));
  await typist.to(/^Search dashboards/);
  await typist.type("All mine");
  await typist.to(/^New dashboard/);
  await typist.press("Enter");
  await page.getByRole("dialog").getByRole("link", { name: "Open" }).waitFor();
  await typist.to(/^Open/);
  await typist.press("Enter");
  await page.waitForURL(/\/dashboard\/\d+$/);
  const tile = page.getByRole("article", { name: "By keyboard" });
  await tile.locator("canvas").waitFor();

  // Moved, made larger, and a text beside it.
  await typist.to(/^Move By keyboard/);
  const before = (await tile.boundingBox())!;
  await typist.press("Shift+ArrowRight", "Shift+ArrowDown");
  await visitor.sees(/7 of 12 columns wide, 6 rows high/);
  const after = (await tile.boundingBox())!;
  expect([after.width > before.width, after.height > before.height]).toEqual([true, true]);
  await typist.to(/^Add$/, "Shift+Tab");
  await typist.press("Enter");
  await typist.isOn(/^menuitem: Insight/);
  await typist.press("ArrowDown");
  await typist.isOn(/^menuitem: Text/);
  await typist.press("Enter");
  await visitor.sees(page.getByRole("dialog", { name: "Add text" }));
  await typist.to(/^Text/);
  await typist.type("# Hello");
  await typist.to(/^Add$/);
  await typist.press("Enter");
  await visitor.sees(page.getByRole("heading", { name: "Hello" }));

  // The menu of a tile, and out.
  await typist.to(/^More for By keyboard/);
  await typist.press("Enter");
  await typist.isOn(/^menuitem: Open/);
  await typist.press("End");
  await typist.isOn(/^menuitem: Remove/);
  await typist.press("Home", "Escape");
  await typist.isOn(/^More for By keyboard/);
  await typist.press("?");
  await visitor.sees(page.getByRole("dialog", { name: "Keyboard shortcuts" }));
  await typist.press("Escape");
  // While a dialog is there, the keys are the dialog's.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await visitor.goes("i", "insights");
  await visitor.sees(page.getByRole("heading", { name: "Insights" }));
  await visitor.sees(page.getByRole("link", { name: "By keyboard" }));
  expect(typist.unseen).toEqual([]);
  await visitor.expectFine();
});

test("Enter picks what the letters before it mean, also where the page has no time to draw them", async () => {
  const window = await stage.newContext();
  await stage.logIn(window);
  const visitor = await stage.enter({ width: 1440, scheme: "light" }, window);
  const { page } = visitor;
  const question = new Question(visitor);
  await visitor.open("/project/1/insights/new");
  await question.drawn("canvas");
  const series = question.form.getByRole("group", { name: "Series" });
  // The list begins with the event that is picked already, which is not the first.
  await series.locator(".one-picker button").first().press("Enter");
  await page.locator(".listbox-option.active", { hasText: "Page view" }).waitFor();
  await page.evaluate(
    "void setTimeout(() => { const end = performance.now() + 500; while (performance.now() < end); })",
  );
  await Promise.all([page.keyboard.insertText("signed"), page.keyboard.press("Enter")]);
  await page.locator(".search-list").waitFor({ state: "detached" });
  await visitor.sees(series.locator(".one-picker").getByText("signed up", { exact: true }));
  await window.close();
});

test("what goes away with the focus leaves it to what stands in its place", async () => {
  const visitor = await stage.enter({ width: 1440, scheme: "light" });
  const typist = new Typist(visitor);
  const question = new Question(visitor);
  const { page } = visitor;
  const plan = (value: string) => ({ type: "event", key: "plan", operator: "exact", value: [value] });
  const node = {
    kind: "InsightVizNode",
    source: {
      kind: "FunnelsQuery",
      series: ["$pageview", "bought"].map((event) => ({ kind: "EventsNode", event })),
      properties: [plan("free"), plan("team")],
      breakdownFilter: { breakdown: "plan", breakdown_type: "event" },
    },
  };
  await visitor.open(`/project/1/insights/new#q=${encodeURIComponent(JSON.stringify(node))}`);
  await question.drawn();
  await typist.begins();
  const from = async (name: string) => {
    await page.getByRole("button", { name }).first().focus();
    await typist.press("Enter");
  };
  await from("Filter 1");
  await typist.isOn(/^combobox: Add a filter/);
  await typist.press("Escape");
  await typist.isOn(/^2: bought/);
  await from("Remove the filter plan is team");
  await typist.isOn(/^Filter$/);
  await from("Remove breakdown 1");
  await typist.isOn(/^Breakdown$/);
  await from("Find correlations");
  await typist.isOn(/^Events$/);
  expect(visitor.complaints).toEqual([]);
  await visitor.leave();
});

test("a form of filters keeps the focus, and another page takes it", async () => {
  const { weir } = stage;
  const visitor = await stage.enter({ width: 1440, scheme: "light" });
  const typist = new Typist(visitor);
  const { page } = visitor;
  const made = async (path: string, body: object) =>
    (await weir.manage("POST", `/api/environments/1/${path}/`, body)).json as { id: number };
  const plan = (value: string) => ({ type: "event", key: "plan", operator: "exact", value: [value] });
  const properties = [plan("free"), plan("team")];
  const board = await made("dashboards", { name: "Narrow", filters: { properties } });
  const source = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "bought" }] };
  await made("insights", { name: "Sales", query: { kind: "InsightVizNode", source }, dashboards: [board.id] });
  const action = await made("actions", { name: "Buys", steps: [{ event: "bought", properties }] });
  const person = { ...plan("team"), type: "person" };
  const criteria = { type: "AND", values: [{ type: "AND", values: [person, { ...person, value: ["free"] }] }] };
  const cohort = await made("cohorts", { name: "Some", filters: { properties: criteria } });

  const removes = async (path: string, name: string | RegExp) => {
    await visitor.open(`/project/1/${path}`);
    const button = page.getByRole("button", { name });
    await button.first().waitFor();
    await typist.begins();
    const count = await button.count();
    await button.first().focus();
    await typist.press("Enter");
    if (count > 1) await button.nth(count - 1).waitFor({ state: "detached" });
    else await button.waitFor({ state: "detached" });
    await typist.isOn(/./);
  };
  await removes(`data-management/actions/${action.id}`, "Remove the filter plan is team");
  await removes(`cohorts/${cohort.id}`, /^Remove/);
  await removes(`dashboard/${board.id}`, "Remove the filter plan is team");

  await page.getByRole("article", { name: "Sales" }).locator("canvas").waitFor();
  await page.getByRole("button", { name: "More for Sales" }).focus();
  await typist.press("Enter");
  await page.getByRole("menuitem", { name: "Edit" }).focus();
  await typist.press("Enter");
  await page.waitForURL(/\/edit$/);
  await new Question(visitor).drawn("canvas");
  expect(await page.evaluate("document.activeElement.localName")).toBe("main");
  await typist.to(/./);
  expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  expect(visitor.complaints).toEqual([]);
  await visitor.leave();
});
