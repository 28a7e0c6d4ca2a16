import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { HANG_MS, isRunning, until } from "../support/processes.ts";
import { Question } from "./support/question.ts";
import { fillShop } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const NEW = "/project/1/insights/new";
/** Two changes further apart than that are two steps of the way back. */
const STEP_MS = 1_100;

let stage: Stage;
let visitor: Visitor;
let question: Question;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const page of stage.context.pages()) if (page !== visitor?.page) await page.close().catch(() => {});
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
  question = new Question(visitor);
});

const kindChosen = () =>
  visitor.page.getByRole("group", { name: "Kind of question" }).getByRole("radio", { checked: true });
const isOfKind = (title: string) =>
  visitor.page.getByRole("radio", { name: title, checked: true }).waitFor({ state: "attached" });

async function beginWith(event: string): Promise<void> {
  await visitor.open(NEW);
  await question.drawn();
  await question.event("Series", event);
  await question.drawn();
}

/** The offer of the question that was not saved. */
const draft = () => visitor.page.getByText(/^Unsaved draft/);

describe("a question", () => {
  test("comes back with back, and again with forward", async () => {
    const { page } = visitor;
    await beginWith("signed");
    await page.waitForTimeout(STEP_MS);
    await question.kind("Stickiness");
    await question.drawn();
    const sticky = visitor.address;
    await page.waitForTimeout(STEP_MS);
    await question.kind("Lifecycle");
    await question.drawn();
    const lively = visitor.address;
    expect(await kindChosen().count()).toBe(1);
    await page.goBack();
    await isOfKind("Stickiness");
    expect(visitor.address).toBe(sticky);
    await page.goBack();
    await isOfKind("Trends");
    await visitor.sees(question.form.getByText("signed up"));
    await page.goForward();
    await page.goForward();
    await isOfKind("Lifecycle");
    expect(visitor.address).toBe(lively);
    await question.drawn("canvas");
    // Elsewhere and back.
    await visitor.clicks("link", "Dashboards");
    await visitor.sees(page.getByRole("heading", { name: "Dashboards" }));
    await page.goBack();
    await isOfKind("Lifecycle");
    expect([visitor.address, visitor.complaints]).toEqual([lively, []]);
  });

  test("is there after a reload, and by its address in another tab", async () => {
    await beginWith("signed");
    await visitor.page.reload();
    await question.drawn();
    await visitor.sees(question.form.getByText("signed up"));
    const other = await stage.enter(LOOKS);
    await other.open(visitor.address);
    await other.sees(new Question(other).form.getByText("signed up"));
    expect([...visitor.complaints, ...other.complaints]).toEqual([]);
  });

  test("is offered again after its tab was closed", async () => {
    await beginWith("bought");
    await question.add("Breakdown", "plan");
    await question.drawn();
    await visitor.leave();
    visitor = await stage.enter(LOOKS);
    question = new Question(visitor);
    await visitor.open(NEW);
    await draft().getByRole("link").click();
    await visitor.sees(question.form.getByText("bought"));
    await visitor.sees(question.form.getByText("plan"));
    await question.drawn();
    await visitor.expectFine();
  });

  test("survives a save that fails, and is saved by the next", async () => {
    const { page } = visitor;
    visitor.expects(/net::ERR_FAILED/);
    await beginWith("bought");
    const asked = visitor.address;
    const path = /\/insights\/(?:\?.*)?$/;
    await page.route(path, (route) => (route.request().method() === "POST" ? route.abort() : route.fallback()));
    await page.getByRole("textbox", { name: "Name" }).fill("Purchases");
    await visitor.clicks("button", "Description and tags");
    await page.getByRole("textbox", { name: "Description" }).fill("All that was bought");
    await page.getByRole("textbox", { name: "Add a tag" }).fill("sales");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await visitor.sees(/Saving failed/);
    expect(visitor.address).toBe(asked);
    await visitor.expectFine();
    await page.reload();
    await visitor.sees(question.form.getByText("bought"));
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Purchases");
    expect(await page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("All that was bought");
    await visitor.sees(page.locator(".tag").getByText("sales"));
    await page.unroute(path);
    const saved = await question.save("Purchases");
    await visitor.open(saved);
    await visitor.sees(page.getByRole("button", { name: "Share" }));
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Purchases");
    await question.drawn();
    // What was saved is no draft any more.
    await visitor.open(NEW);
    await question.drawn();
    expect(await draft().count()).toBe(0);
  });

  test("that changes a saved one keeps both", async () => {
    const { page } = visitor;
    await beginWith("bought");
    const saved = await question.save("Buyers");
    await question.event("Series", "signed");
    await visitor.sees("Unsaved changes.");
    await page.reload();
    await visitor.sees("Unsaved changes.");
    await visitor.sees(question.form.getByText("signed up"));
    const other = await stage.enter(LOOKS);
    await other.open(`${saved}/edit`);
    await other.sees(new Question(other).form.getByText("bought"));
    await visitor.clicks("button", "Reset");
    await visitor.sees(question.form.getByText("bought"));
    expect([visitor.address, visitor.complaints, other.complaints]).toEqual([`${saved}/edit`, [], []]);
  });
});

describe("a failure", () => {
  test("of one tile is that of one tile", async () => {
    const { page, complaints } = visitor;
    visitor.expects(/status of 500 /);
    const insight = (name: string, event: string) => ({
      name,
      query: { kind: "InsightVizNode", source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event }] } },
    });
    const board = await made("dashboards/", { name: "Three" });
    for (const [name, event] of [
      ["First", "$pageview"],
      ["Second", "signed up"],
      ["Third", "bought"],
    ] as const) {
      await made("insights/", { ...insight(name, event), dashboards: [board] });
    }
    const path = /\/query\/$/;
    const body = JSON.stringify({ type: "server_error", code: "error", detail: "The lake is dry.", attr: null });
    await page.route(path, (route) =>
      route.request().postData()?.includes("signed up") ? route.fulfill({ status: 500, body }) : route.fallback(),
    );
    await visitor.open(`/project/1/dashboard/${board}`);
    const tile = (name: string) => page.getByRole("article", { name });
    await visitor.sees(tile("Second").getByText("The lake is dry."));
    for (const name of ["First", "Third"]) await tile(name).locator("canvas").waitFor();
    expect(await page.getByText("The lake is dry.").count()).toBe(1);
    await visitor.expectFine();
    await page.unroute(path);
    await tile("Second").getByRole("button", { name: "Try again" }).click();
    await tile("Second").locator("canvas").waitFor();
    expect(complaints).toEqual([]);
  });

  const dry = JSON.stringify({ type: "server_error", code: "error", detail: "The lake is dry.", attr: null });

  test.each([
    ["events", /event_definitions/, "bought"],
    ["actions", /\/actions\//, "bought"],
    ["properties", /property_definitions/, "Filter"],
    ["cohorts", /\/cohorts\//, "Filter"],
  ])("of a list of names is told in the picker, and is over with the next try: %s", async (_, path, button) => {
    const { page } = visitor;
    visitor.expects(/status of 500 /);
    const source = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "bought" }] };
    await page.route(path, (route) => route.fulfill({ status: 500, body: dry }));
    await visitor.open(`${NEW}#q=${encodeURIComponent(JSON.stringify({ kind: "InsightVizNode", source }))}`);
    await question.drawn();
    await question.form.getByRole("button", { name: button, exact: true }).first().click();
    const told = page.locator(".picker-box").getByText("The lake is dry.");
    await visitor.sees(told);
    await visitor.expectFine();
    await page.unroute(path);
    await page.locator(".picker-box").getByRole("button", { name: "Try again" }).click();
    await told.waitFor({ state: "detached" });
    await visitor.expectFine();
  });

  test("of the settings of a project is told on its home, and is over with the next try", async () => {
    const { page } = visitor;
    visitor.expects(/status of 500 /);
    const path = /\/api\/environments\/1\/$/;
    await page.route(path, (route) => route.fulfill({ status: 500, body: dry }));
    await visitor.open("/project/1/home");
    await visitor.sees("The lake is dry.");
    await visitor.expectFine();
    await page.unroute(path);
    await visitor.clicks("button", "Try again");
    await page.getByText("The lake is dry.").waitFor({ state: "detached" });
    await visitor.expectFine();
  });

  test("of the network leaves the chart, says so, and is over with the next try", async () => {
    const { page } = visitor;
    visitor.expects(/net::ERR_INTERNET_DISCONNECTED/);
    await beginWith("page view");
    await stage.context.setOffline(true);
    await visitor.clicks("button", "Calculate again");
    await visitor.sees(page.getByRole("alert").getByText("Weir does not answer"));
    await question.answer.locator(".insight-chart.old canvas").waitFor();
    await visitor.expectFine();
    await stage.context.setOffline(false);
    await visitor.clicks("button", "Try again");
    await question.drawn("canvas");
    await visitor.expectFine();
  });

  test("of the API is over when it is back, and the page was there all the time", async () => {
    const { weir } = stage;
    visitor.expects(/status of 50[234] |net::ERR_/);
    await beginWith("page view");
    const former = weir.kill9("api");
    await until("another API", HANG_MS, () => weir.isReplaced("api", former) && isRunning(weir.pidOf("api")));
    await until("an answer", HANG_MS, async () => (await weir.status("/api/users/@me/")) === 401);
    await visitor.clicks("button", "Calculate again");
    await question.drawn("canvas");
    await visitor.sees(question.form.getByText("Page view"));
    await visitor.expectFine();
  });
});

describe("a layout that is on its way", () => {
  const path = /\/dashboards\/\d+\/(?:\?.*)?$/;
  const heightOf = async () => (await visitor.page.getByRole("article", { name: "Only" }).boundingBox())!.height;

  /** Makes the tile of a new dashboard higher; the save of it stays away for ever. Gives its height before and after. */
  async function held(): Promise<[before: number, after: number]> {
    const { page } = visitor;
    const query = {
      kind: "InsightVizNode",
      source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "bought" }] },
    };
    const board = await made("dashboards/", { name: "One" });
    await made("insights/", { name: "Only", query, dashboards: [board] });
    await visitor.open(`/project/1/dashboard/${board}`);
    await page.getByRole("article", { name: "Only" }).locator("canvas").waitFor();
    const before = await heightOf();
    const isSent = Promise.withResolvers<void>();
    let isHeld = false;
    await page.route(path, (route) => {
      if (isHeld || route.request().method() !== "PATCH") return route.fallback();
      isHeld = true;
      isSent.resolve();
    });
    await page.getByRole("button", { name: "Move Only" }).focus();
    await visitor.presses("Shift+ArrowDown", "Shift+ArrowDown");
    await isSent.promise;
    return [before, await heightOf()];
  }

  test("is there after a reload, and saved then", async () => {
    const { page } = visitor;
    const [before, after] = await held();
    expect(after).toBeGreaterThan(before);
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH" && response.ok());
    await page.reload();
    await saved;
    expect(await heightOf()).toBe(after);
    const kept = () => page.evaluate<number>("Object.keys(sessionStorage).length");
    await until("nothing is kept", HANG_MS, async () => (await kept()) === 0);
    await page.reload();
    expect([await heightOf(), visitor.complaints]).toEqual([after, []]);
  });

  test("is not put over what others have by then", async () => {
    const { page } = visitor;
    const [before] = await held();
    await page.evaluate(
      "for (const [name, text] of Object.entries(sessionStorage)) sessionStorage[name] = JSON.stringify({ ...JSON.parse(text), atMs: Date.now() - 10000 })",
    );
    await page.reload();
    await page.getByRole("article", { name: "Only" }).locator("canvas").waitFor();
    expect([await heightOf(), visitor.complaints]).toEqual([before, []]);
  });
});

async function made(path: string, body: object): Promise<number> {
  const { status, json } = await stage.weir.manage("POST", `/api/environments/1/${path}`, body);
  expect(status).toBe(201);
  return (json as { id: number }).id;
}
