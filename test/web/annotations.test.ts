import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { fillShop } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const DAY_MS = 86_400_000;
const PAGE = "/project/1";
/** Of a window, with the parts of a date. */
const STOPS_MAX = 20;

let stage: Stage;
let visitor: Visitor;
let page: Page;
let insight: { id: number; short_id: string };
let boards: number[];

beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
  const make = async <T>(path: string, body: object) =>
    (await stage.weir.manage("POST", `/api/environments/1/${path}/`, body)).json as T;
  boards = [];
  for (const name of ["First", "Second"]) boards.push((await make<{ id: number }>("dashboards", { name })).id);
  const source = {
    ...{ kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "$pageview" }], interval: "day" },
    dateRange: { date_from: "-6d" },
  };
  const query = { kind: "InsightVizNode", source };
  insight = await make("insights", { name: "Visits", query, saved: true, dashboards: boards });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  await clear();
  visitor = await stage.enter(LOOKS);
  page = visitor.page;
});

const manage = (method: string, path: string, body?: object) =>
  stage.weir.manage(method, `/api/environments/1/${path}`, body);
async function clear(): Promise<void> {
  const { json } = await manage("GET", "annotations/?limit=1000");
  for (const { id } of (json as { results: { id: number }[] }).results) {
    await manage("PATCH", `annotations/${id}/`, { deleted: true });
  }
}
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const note = (content: string, body: object = {}) =>
  manage("POST", "annotations/", { content, date_marker: daysAgo(2), scope: "project", ...body });

const marks = (of: Page | Locator = page) => of.locator(".chart-note-mark");
const dialog = (name: string) => page.getByRole("dialog", { name });
async function drawn(of: Page | Locator = page): Promise<void> {
  await of.locator(".insight-chart:not(.old) canvas").first().waitFor();
}
/** The window is gone; what is listed is what is said. */
async function texts(of: Page | Locator = page): Promise<string[]> {
  const names = await marks(of).evaluateAll((all) => all.map((mark) => mark.getAttribute("aria-label") ?? ""));
  return names.map((name) => name.replace(/^Annotation, [^:]*:\d\d: /, "")).sort();
}
async function write(text: string): Promise<void> {
  await page.getByLabel("What happened").fill(text);
}
/** Presses the button of the window. */
async function added(): Promise<void> {
  await dialog("Add annotation").getByRole("button", { name: "Add", exact: true }).click();
  await dialog("Add annotation").waitFor({ state: "detached" });
}
async function openInsight(): Promise<void> {
  await visitor.open(`${PAGE}/insights/${insight.short_id}`);
  await drawn();
}

describe("the annotations of a chart", () => {
  test("are added with the mouse, read, changed, deleted and brought back", async () => {
    await openInsight();
    const chart = page.locator(".time-plot");
    await chart.hover();
    const strip = page.locator(".chart-note-strip");
    await strip.waitFor();
    const { width } = (await strip.boundingBox())!;
    await strip.hover({ position: { x: width / 2, y: 10 } });
    await page.locator(".chart-note-plus").waitFor();
    await strip.click({ position: { x: width / 2, y: 10 } });
    await dialog("Add annotation").waitFor();
    // The middle of seven days.
    const at = await page.getByLabel("When").inputValue();
    expect(at).toBe(`${new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10)}T00:00`);
    await visitor.expectFine();
    await write("Launch <b>day</b>");
    await added();
    await marks().waitFor();
    expect(await texts()).toEqual(["Launch <b>day</b>"]);
    await marks().hover();
    await visitor.sees(page.locator(".chart-note-tip", { hasText: "Launch <b>day</b>" }));
    await marks().click();
    const list = dialog("Annotations");
    await visitor.sees(list.getByText("This insight"));
    await visitor.expectFine();
    await list.getByRole("button", { name: "Edit the annotation" }).click();
    await write("Launch, moved");
    await page.getByLabel("When").fill(`${daysAgo(1).slice(0, 10)}T08:30`);
    await page.getByLabel("Shown on").selectOption({ label: "All charts of the project" });
    const before = (await marks().boundingBox())!;
    await visitor.clicks("button", "Save");
    await page.locator('.chart-note-mark[aria-label*="moved"]').waitFor();
    expect((await marks().boundingBox())!.x).toBeGreaterThan(before.x + 50);
    const { json } = await manage("GET", "annotations/");
    expect(json).toMatchObject({
      results: [{ scope: "project", date_marker: `${daysAgo(1).slice(0, 10)}T08:30:00.000Z` }],
    });
    await page.reload();
    await marks().click();
    await list.getByRole("button", { name: "Delete the annotation" }).click();
    await marks().waitFor({ state: "detached" });
    await visitor.clicks("button", "Undo");
    await marks().waitFor();
    await visitor.expectFine();
  });

  test("are added and read by keyboard alone", async () => {
    await openInsight();
    await page.getByRole("slider").focus();
    await visitor.presses("End", "ArrowLeft", "ArrowLeft", "a");
    await dialog("Add annotation").waitFor();
    await page.keyboard.type("By hand");
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    for (let stop = 0; stop < STOPS_MAX && (await focused()) !== "Add"; stop++) await visitor.presses("Tab");
    await visitor.presses("Enter");
    await dialog("Add annotation").waitFor({ state: "detached" });
    await marks().waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("slider");
    expect(await page.getByRole("slider").getAttribute("aria-valuenow")).toBe("4");
    await visitor.presses("Tab");
    expect(await page.evaluate("document.activeElement.className")).toBe("chart-note-mark");
    await visitor.presses("Enter");
    await visitor.sees(dialog("Annotations").getByText("By hand"));
    await visitor.presses("Escape");
    await dialog("Annotations").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.className")).toBe("chart-note-mark");
  });

  test("lie beside each other as one mark, and only within the dates", async () => {
    await note("one");
    await note("two", { date_marker: new Date(Date.parse(daysAgo(2)) + 1_000).toISOString() });
    await note("before", { date_marker: daysAgo(9) });
    await note("after", { date_marker: daysAgo(-3) });
    await note("hidden", { hidden_in_user_interface: true });
    await openInsight();
    await marks().waitFor();
    expect(await marks().allTextContents()).toEqual(["2"]);
    await marks().click();
    const list = dialog("Annotations");
    expect(await list.locator(".note-text").allTextContents()).toEqual(["two", "one"]);
    await page.setViewportSize({ width: 360, height: 700 });
    await page.emulateMedia({ colorScheme: "dark" });
    await marks().waitFor();
    await visitor.expectFine();
  });
});

describe("an annotation of a dashboard", () => {
  test("is on that dashboard, for those with its link too, and on no other", async () => {
    const [first, second] = boards as [number, number];
    await note("first board", { scope: "dashboard", dashboard_id: first });
    await note("second board", { scope: "dashboard", dashboard_id: second, date_marker: daysAgo(1) });
    await note("insight", { scope: "dashboard_item", dashboard_item: insight.id, date_marker: daysAgo(4) });
    for (const [board, own] of [
      [first, "first board"],
      [second, "second board"],
    ] as const) {
      await visitor.open(`${PAGE}/dashboard/${board}`);
      await marks().nth(1).waitFor();
      expect(await texts()).toEqual([own, "insight"].sort());
    }
    await openInsight();
    await marks().nth(2).waitFor();
    expect(await texts()).toEqual(["first board", "insight", "second board"]);
    const link = async (path: string) => {
      const { json } = await manage("PATCH", `${path}sharing/`, { enabled: true });
      return (json as { access_token: string }).access_token;
    };
    const stranger = await stage.enter(LOOKS, await stage.newContext());
    await stranger.open(`/shared/${await link(`dashboards/${first}/`)}`);
    await marks(stranger.page).nth(1).waitFor();
    expect(await texts(stranger.page.locator("main"))).toEqual(["first board", "insight"]);
    await marks(stranger.page).first().click();
    await stranger.sees(stranger.page.getByRole("dialog", { name: "Annotations" }));
    expect(await stranger.page.getByRole("link").count()).toBe(0);
    expect(await stranger.page.getByRole("button", { name: /annotation/i }).count()).toBe(2);
    await stranger.presses("Escape");
    await stranger.page.getByRole("slider").focus();
    await stranger.presses("End", "a");
    expect(await stranger.page.getByRole("dialog").count()).toBe(0);
    await stranger.expectFine();
    await stranger.open(`/shared/${await link(`insights/${insight.id}/`)}`);
    await marks(stranger.page).waitFor();
    expect(await texts(stranger.page.locator("main"))).toEqual(["insight"]);
    await stranger.leave();
  });

  test("can be added on a tile", async () => {
    await visitor.open(`${PAGE}/dashboard/${boards[0]}`);
    await drawn();
    await page.getByRole("slider").first().focus();
    await visitor.presses("Home", "a");
    await dialog("Add annotation").waitFor();
    await write("From the board");
    expect(await page.getByLabel("Shown on").locator("option").allTextContents()).toEqual([
      "This dashboard",
      "This insight",
      "All charts of the project",
      "All charts of all projects",
    ]);
    await added();
    await marks().waitFor();
    expect((await manage("GET", "annotations/")).json).toMatchObject({
      results: [{ content: "From the board", scope: "dashboard", dashboard_id: boards[0], dashboard_item: null }],
    });
  });
});

describe("the list of annotations", () => {
  test("has all of them, finds, adds, changes and deletes", async () => {
    await note("Outage", { scope: "dashboard_item", dashboard_item: insight.id });
    await note("Campaign", { hidden_in_user_interface: true });
    await visitor.open(`${PAGE}/data-management/annotations`);
    const rows = page.getByRole("table", { name: "Annotations" }).locator("tbody tr");
    await rows.nth(1).waitFor();
    await visitor.expectFine();
    await visitor.sees(page.getByRole("link", { name: "Visits" }));
    await page.getByLabel("Search annotations").fill("outAGE");
    await rows.nth(1).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Edit: Outage" }).click();
    await write("Outage of the shop");
    // Somebody else moves it meanwhile, to a second that the window cannot show.
    const { json } = await manage("GET", "annotations/?search=Outage");
    const { id } = (json as { results: { id: number }[] }).results[0]!;
    const moved = "2026-01-02T03:04:05.000Z";
    await manage("PATCH", `annotations/${id}/`, { date_marker: moved, scope: "project" });
    await visitor.clicks("button", "Save");
    await visitor.sees(rows.getByText("Outage of the shop"));
    const saved = (await manage("GET", `annotations/${id}/`)).json;
    expect(saved).toMatchObject({ content: "Outage of the shop", date_marker: moved, scope: "project" });
    await page.getByLabel("Search annotations").fill("");
    await visitor.clicks("button", "New annotation");
    await write("Fair");
    await added();
    await visitor.sees(rows.getByText("Fair"));
    await page.getByRole("button", { name: "Delete: Fair" }).click();
    await rows.getByText("Fair").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 360, height: 700 });
    await visitor.expectFine();
  });
});

test("a member that may only look at an insight is offered no change of its annotations", async () => {
  await note("Fixed", { scope: "dashboard_item", dashboard_item: insight.id });
  const window = await stage.join("Viewer");
  await manage("PUT", `insights/${insight.id}/access_controls/`, { access_level: "viewer" });
  await visitor.leave();
  visitor = await stage.enter(LOOKS, window);
  page = visitor.page;
  await openInsight();
  await marks().click();
  const list = dialog("Annotations");
  await visitor.sees(list.getByText("Fixed"));
  expect(await list.getByRole("button", { name: /the annotation$/ }).count()).toBe(0);
  await list.getByRole("button", { name: "Add another" }).click();
  expect(await page.getByLabel("Shown on").locator("option").allTextContents()).toEqual([
    "All charts of the project",
    "All charts of all projects",
  ]);
  await manage("PUT", `insights/${insight.id}/access_controls/`, { access_level: null });
});
