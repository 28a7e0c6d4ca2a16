import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Shop } from "../sdk/shop.ts";
import { Question } from "./support/question.ts";
import { fillShop } from "./support/shopEvents.ts";
import { EMAIL, PASSWORD, Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

// From an empty folder to a dashboard that others look at: each test goes on where the one before it ended.

let stage: Stage;
let visitor: Visitor;
let question: Question;
/** The address of the dashboard. */
let board = "";
/** Addresses of insights by their names. */
const saved = new Map<string, string>();
beforeAll(async () => {
  stage = await Stage.open({ givenKeys: false });
  visitor = await stage.enter({ width: 1440, scheme: "light" });
  question = new Question(visitor);
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("the first five minutes", () => {
  test("begin with the link that the start prints, and a password", async () => {
    const { page } = visitor;
    await visitor.open(stage.setupPath);
    await visitor.sees("Welcome to Weir");
    await visitor.expectFine();
    await page.getByLabel("E-mail").fill(EMAIL);
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await visitor.clicks("button", "Start using Weir");
    await visitor.sees("Waiting for the first event");
    await visitor.expectFine();
  });

  test("the first event of an SDK in a page turns the waiting into a dashboard", async () => {
    const { page } = visitor;
    const snippet = (await page.getByRole("tabpanel").textContent()) ?? "";
    stage.weir.projectKey = /phc_\w+/.exec(snippet)![0];
    const elsewhere = await stage.newContext();
    await using shop = await Shop.open({ weir: stage.weir, browser: elsewhere });
    await shop.seen("$pageview");
    await visitor.sees("An event has arrived");
    await visitor.sees(page.getByText("$pageview"));
    await visitor.expectFine();
    await visitor.clicks("button", "Make a dashboard");
    await page.waitForURL(/\/dashboard\/\d+$/);
    await page.getByRole("article").locator(".insight-chart").first().waitFor();
    expect(await page.getByRole("article").count()).toBeGreaterThan(3);
    await visitor.expectFine();
    await elsewhere.close();
    // As its operator has it, who reads the first lines that it printed.
    stage.weir.personalKey = /phx_\w+/.exec(stage.weir.output)![0];
    await fillShop(stage.weir);
  });
});

describe("an insight", () => {
  async function begin(kind: string): Promise<void> {
    await visitor.open("/project/1/insights/new");
    await question.form.waitFor();
    await question.kind(kind);
  }

  async function keep(name: string): Promise<void> {
    await visitor.expectFine();
    saved.set(name, await question.save(name));
    await visitor.sees(visitor.page.getByRole("button", { name: "Share" }));
  }

  test("of trends is built with the form, in every form of the chart", async () => {
    await begin("Trends");
    await question.event("Series", "page view");
    await question.add("Add series", "signed");
    await question.drawn("canvas");
    await question.add("Breakdown", "plan");
    const forms: [string, string][] = [
      ["Line, running total", "canvas"],
      ["Area", "canvas"],
      ["Bars", "canvas"],
      ["Stacked bars", "canvas"],
      ["Bars by value", ".rank-row"],
      ["Pie", ".pie-slice"],
      ["Table", ".value-table"],
      ["World map", ".country.known"],
      ["Calendar", "[data-at]"],
      ["Number", ".big-number, .rank-row"],
      ["Line", "canvas"],
    ];
    for (const [label, inside] of forms) {
      await question.select("Form of the chart", label);
      await question.drawn(inside);
      await visitor.expectFine();
    }
    await keep("Visits and sign-ups");
  });

  test("of trends says how many people there were, and lists as many", async () => {
    await begin("Trends");
    await question.event("Series", "page view");
    await question.select("What is counted", "Unique people");
    const chart = await question.drawn("canvas");
    const slider = chart.getByRole("slider");
    await slider.focus();
    for (const [day, keys] of Object.entries({ yesterday: ["ArrowLeft"], before: ["ArrowLeft", "ArrowLeft"] })) {
      await visitor.presses("End", ...keys);
      const words = await slider.getAttribute("aria-valuetext");
      const shown = Number(/(\d+)\D*$/.exec(words ?? "")?.[1]);
      expect(words).toMatch(/: 1\d$/);
      await visitor.presses("Enter");
      const { said, listed } = await question.people();
      expect([day, listed, Number.parseInt(said, 10)]).toEqual([day, shown, shown]);
      await visitor.expectFine();
      await question.closeDialog();
    }
    await keep("Daily visitors");
  });

  test("of funnels, with its drop-off", async () => {
    await begin("Funnel");
    await question.event("Steps", "page view");
    await question.add("Add step", "signed");
    await question.add("Add step", "bought");
    const chart = await question.drawn("[data-at]");
    await visitor.expectFine();
    for (const part of await chart.locator("[data-at]").all()) {
      const label = await part.ariaSnapshot();
      await part.click();
      const { said, listed } = await question.people();
      expect([label, Number.parseInt(said, 10)]).toEqual([label, listed]);
      expect(label).toMatch(new RegExp(`\\b${listed}\\b`));
      await question.closeDialog();
    }
    await question.segment("Shown as", "Time to convert");
    await question.drawn("[data-at]");
    await visitor.expectFine();
    await question.segment("Shown as", "Over time");
    await question.drawn("canvas");
    await visitor.expectFine();
    await question.segment("Shown as", "Steps");
    const steps = await question.drawn("[data-at]");
    await keep("From a visit to a purchase");
    // What those did before that came to the second step.
    await steps.locator("button.funnel-reached").nth(1).click();
    await question.people();
    await visitor.clicks("button", "Paths");
    await visitor.clicks("menuitem", "Leading to this step");
    await visitor.page.getByRole("dialog").waitFor({ state: "detached" });
    await question.drawn(".sankey-node");
    await visitor.sees(visitor.page.getByRole("group", { name: "People of a funnel" }));
    await visitor.expectFine();
  });

  test("of retention, as a grid and as lines", async () => {
    await begin("Retention");
    await question.event("People who did", "page view");
    await question.event("Came back and did", "page view");
    // On some days of the week all visits lie in one week.
    await question.select("Width of an interval", "Days");
    const grid = await question.drawn("[data-at]");
    await grid.locator("button[data-at]").nth(1).click();
    const { said, listed } = await question.people();
    expect(Number.parseInt(said, 10)).toBe(listed);
    await question.closeDialog();
    await keep("Who comes back");
  });

  test("of trends as a calendar of weekdays and hours", async () => {
    await begin("Trends");
    await question.event("Series", "bought");
    await question.select("What is counted", "Unique people");
    await question.select("Form of the chart", "Calendar");
    const calendar = await question.drawn(".calendar-heat button");
    const cell = calendar.locator(".calendar-heat button").first();
    const words = await cell.ariaSnapshot();
    await cell.click();
    const { said, listed } = await question.people();
    expect([words, Number.parseInt(said, 10)]).toEqual([words, listed]);
    expect(words).toMatch(new RegExp(`: ${listed}"`));
    await visitor.expectFine();
    await question.closeDialog();
    await keep("When they buy");
  });

  test.each([
    ["Paths", "Ways through the shop", ".sankey-node"],
    ["Stickiness", "How many days", "canvas"],
    ["Lifecycle", "New and lost", "canvas"],
  ])("of %s", async (kind, name, inside) => {
    await begin(kind);
    await question.drawn(inside);
    await keep(name);
  });
});

describe("a dashboard", () => {
  const names = () => Array.from(saved.keys());
  const boxOf = async (name: string) => {
    const tile = visitor.page.getByRole("article", { name });
    await tile.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await tile.boundingBox())!;
    return { x, y: y + (await visitor.page.evaluate<number>("window.scrollY")), width, height };
  };

  test("is made, and gets insights and a text", async () => {
    const { page } = visitor;
    await visitor.open("/project/1/dashboard");
    await visitor.clicks("button", "New dashboard");
    await page.getByRole("dialog").getByLabel("Name").fill("Every morning");
    await visitor.expectFine();
    await visitor.clicks("button", "Make dashboard");
    await page.waitForURL(/\/dashboard\/\d+$/);
    board = new URL(page.url()).pathname;
    await visitor.sees(page.getByRole("heading", { name: "Every morning" }));
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await visitor.clicks("menuitem", "Insight");
    for (const name of names()) await visitor.clicks("button", `Add ${name}`);
    await page
      .getByText("On this dashboard")
      .nth(names().length - 1)
      .waitFor();
    await question.closeDialog();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await visitor.clicks("menuitem", "Text");
    await page.getByRole("dialog").getByLabel("Text").fill("# Good morning\n\n**All** of it.");
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await visitor.sees(page.getByRole("heading", { name: "Good morning" }));
    await page.getByRole("article", { name: "Daily visitors" }).locator("canvas").waitFor();
    await visitor.expectFine();
  });

  test("is arranged with the mouse", async () => {
    const { page } = visitor;
    const [first, second] = [names()[0]!, names()[1]!];
    const [from, to] = [await boxOf(first), await boxOf(second)];
    // The grip takes its room when the mouse comes.
    await page.getByRole("article", { name: first }).hover();
    const grip = (await page.getByRole("button", { name: `Move ${first}` }).boundingBox())!;
    await page.mouse.move(grip.x + 8, grip.y + 8);
    await page.mouse.down();
    await page.mouse.move(grip.x + 8 + (to.x - from.x) / 2, grip.y + 12, { steps: 4 });
    await page.mouse.move(grip.x + 8 + (to.x - from.x), grip.y + 12, { steps: 4 });
    await page.mouse.up();
    expect((await boxOf(first)).x).toBe(to.x);
    const wide = await boxOf(second);
    const seen = (await page.getByRole("article", { name: second }).boundingBox())!;
    const corner = { x: seen.x + seen.width - 2, y: seen.y + seen.height - 2 };
    await page.mouse.move(corner.x, corner.y);
    await page.mouse.down();
    await page.mouse.move(corner.x, corner.y + 150, { steps: 6 });
    await page.mouse.up();
    const high = await boxOf(second);
    expect(high.height).toBeGreaterThan(wide.height + 100);
    await visitor.expectFine();
    await page.reload();
    expect([(await boxOf(first)).x, (await boxOf(second)).height]).toEqual([to.x, high.height]);
  });

  test("is arranged by keyboard", async () => {
    const { page } = visitor;
    const name = names()[2]!;
    const before = await boxOf(name);
    await page.getByRole("button", { name: `Move ${name}` }).focus();
    await visitor.presses("Shift+ArrowDown", "Shift+ArrowDown");
    await visitor.sees(page.getByText(/columns wide, \d+ rows high/));
    expect((await boxOf(name)).height).toBeGreaterThan(before.height);
    await visitor.presses("ArrowUp");
    await visitor.sees(page.getByText(/Column \d+, row \d+|It cannot go further/));
    const after = await boxOf(name);
    // At once: nothing waits for a pause.
    await page.reload();
    expect(await boxOf(name)).toEqual(after);
  });

  test("is looked at without a login by its link, here and in a page of another site", async () => {
    const { page } = visitor;
    await visitor.clicks("button", "Share");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/Anybody with the link/).click();
    const link = await dialog.getByLabel("Link", { exact: true }).inputValue();
    const code = await dialog.getByLabel("Embed code").inputValue();
    await visitor.expectFine();
    await question.closeDialog();
    const window = await stage.newContext();
    const guest = await stage.enter({ width: 1440, scheme: "dark" }, window);
    await guest.open(new URL(link).pathname);
    await guest.sees(guest.page.getByRole("heading", { name: "Every morning" }));
    await guest.page.getByRole("article", { name: "Daily visitors" }).locator("canvas").waitFor();
    const calendar = guest.page.getByRole("article", { name: "When they buy" });
    await calendar.scrollIntoViewIfNeeded();
    await calendar.locator(".calendar-heat .heat-cell").first().waitFor();
    await guest.expectFine();
    expect(await window.cookies()).toEqual([]);
    const host = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        new Response(`<!doctype html><title>Wiki</title><link rel="icon" href="data:,">${code}`, {
          headers: { "content-type": "text/html" },
        }),
    });
    await guest.page.goto(`http://localhost:${host.port}/`);
    const frame = guest.page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Every morning" }).waitFor();
    // A tile is drawn when it comes into sight.
    await frame.getByRole("article", { name: "Daily visitors" }).scrollIntoViewIfNeeded();
    await frame.getByRole("article", { name: "Daily visitors" }).locator("canvas").waitFor();
    await host.stop(true);
    await window.close();
    await visitor.open(board);
    await visitor.clicks("button", "Share");
    await page
      .getByRole("dialog")
      .getByLabel(/Anybody with the link/)
      .click();
    await visitor.sees("Only people who log in");
    expect(await stage.weir.status(new URL(link).pathname.concat(".json"))).toBe(404);
    await question.closeDialog();
  });
});

describe("the pages", () => {
  const inProject = (...paths: string[]) => paths.map((path) => `/project/1/${path}`);
  const main = () => [...inProject("home", "insights/new"), board];
  const all = () => [
    ...main(),
    ...inProject("insights", "dashboard", "start", "settings"),
    ...saved.values(),
    "/account",
  ];

  // The way itself was in light, 1,440 px.
  test.each([
    [{ width: 360, scheme: "dark" }, all],
    [{ width: 360, scheme: "light" }, main],
    [{ width: 1440, scheme: "dark" }, main],
  ] as const)("are fine in %p", async (looks, places) => {
    const guest = await stage.enter(looks);
    for (const place of places()) {
      await guest.open(place);
      await guest.page.waitForLoadState("networkidle");
      await guest.sees(guest.page.getByRole("heading", { level: 1 }));
      await guest.expectFine();
    }
    await guest.leave();
  });

  test("made no complaint until the end", () => expect(visitor.complaints).toEqual([]));
});
