import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const DAY_MS = 86_400_000;
const PAGE = "/project/1/events";
const LIVE = "**/events/live/**";

let stage: Stage;
let visitor: Visitor;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
});

const send = async (events: object[]) => expect((await stage.weir.batch(events)).status).toBe(200);
const event = (name: string, more: object = {}, daysAgo = 0) => ({
  event: name,
  distinct_id: "ada",
  timestamp: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  properties: { $current_url: `https://shop.example/${name}`, number: 7, ...more },
});
const list = () => visitor.page.getByRole("region", { name: "Events" });
const names = () => list().locator("tbody .text-button").allTextContents();
const anyRow = () => list().locator("tbody .text-button").first();
const row = (name: string) => list().getByRole("button", { name, exact: true });

test("the first event appears without a reload, and late ones too, each once", async () => {
  const { page } = visitor;
  await visitor.open("/project/1/settings");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Events" }).click();
  await visitor.sees("Waiting for the first event");
  await visitor.expectFine();
  await send([event("first")]);
  await row("first").waitFor();
  await send([event("very late", {}, 400)]);
  await send(Array.from({ length: 20 }, (_, n) => event(`many ${n}`)));
  await send([event("ahead", {}, -2)]);
  for (const name of ["very late", "many 19", "ahead"]) await row(name).waitFor();
  await visitor.sees("400 days late");
  const seen = await names();
  expect(seen.toSorted()).toEqual(
    ["first", "very late", "ahead", ...Array.from({ length: 20 }, (_, n) => `many ${n}`)].toSorted(),
  );
  expect([seen[0], seen.at(-1)]).toEqual(["ahead", "first"]);
  await visitor.sees("23 events since you opened this");
  await visitor.expectFine();
});

test("the list stands still while one reads, and says how many wait", async () => {
  const { page } = visitor;
  await visitor.open(PAGE);
  await anyRow().waitFor();
  await list().evaluate((box) => box.scrollTo({ top: 200 }));
  await visitor.sees("Paused while you scroll");
  await send([event("one above"), event("two above")]);
  await visitor.clicks("button", "Show 2 new");
  await visitor.sees(row("two above"));
  await visitor.sees(page.getByText("Live", { exact: true }).last());
  expect((await names()).slice(0, 2).toSorted()).toEqual(["one above", "two above"]);
  // By a pointer.
  await anyRow().hover();
  await visitor.sees("Paused while you point at the list");
  await send([event("three above")]);
  await visitor.sees("1 new above");
  expect(await names()).not.toContain("three above");
  await page.mouse.move(0, 0);
  await row("three above").waitFor();
  // By keyboard alone.
  await visitor.clicks("button", "Pause");
  await send([event("four above")]);
  await visitor.sees("Show 1 new");
  await visitor.expectFine();
  await visitor.clicks("button", "Go on");
  await row("four above").waitFor();
});

test("filters and columns stand in the address, and past events are listed by their time", async () => {
  const { page } = visitor;
  await send([event("wanted", { number: 1, shape: "round" }), event("wanted", { number: 2 }), event("unwanted", {})]);
  const filters = JSON.stringify([{ type: "event", key: "number", operator: "lt", value: 2 }]);
  await visitor.open(`${PAGE}?event=wanted&filters=${encodeURIComponent(filters)}&columns=["shape"]`);
  await visitor.sees(list().getByText("round", { exact: true }));
  await send([event("wanted", { number: 3 }), event("wanted", { number: 0, shape: "square" })]);
  await visitor.sees(list().getByText("square", { exact: true }));
  expect(await names()).toEqual(["wanted", "wanted"]);
  await visitor.expectFine();
  await visitor.clicks("button", "Remove the column shape");
  await page.getByRole("columnheader", { name: "shape" }).waitFor({ state: "detached" });
  expect(visitor.address).not.toContain("columns");
  await page.getByText("Past", { exact: true }).click();
  await visitor.sees("That is all of this time.");
  expect(visitor.address).toContain("from=-24h");
  expect(await names()).toEqual(["wanted", "wanted"]);
  await visitor.open(`${PAGE}?from=-500d&to=${new Date(Date.now() - 399 * DAY_MS).toISOString().slice(0, 10)}`);
  await row("very late").waitFor();
  expect(await names()).toEqual(["very late"]);
  await visitor.expectFine();
  await page.goBack();
});

test("an event is shown in full, with its person and where the person's properties came from", async () => {
  const { page } = visitor;
  await send([event("told", { $set: { plan: "team" }, $lib: "web", $lib_version: "1.2.3" })]);
  await visitor.open(PAGE);
  await row("told").click();
  const dialog = page.getByRole("dialog");
  const from = (name: string) =>
    dialog
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name, exact: true }) })
      .locator(".property-origin");
  await visitor.sees(from("number").getByText("Your code"));
  await visitor.sees(from("Current URL").getByText("SDK web 1.2.3"));
  await dialog.getByRole("button", { name: /The person now: \d+ propert/ }).click();
  const plan = dialog.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "plan" }) });
  await visitor.sees(plan.getByText("Set by"));
  await visitor.expectFine();
  expect(await plan.getByRole("link", { name: "told" }).getAttribute("href")).toMatch(/^\/project\/1\/events\//);
  await visitor.presses("Escape");
  await dialog.waitFor({ state: "detached" });
  await list().getByRole("link", { name: "ada" }).first().click();
  await visitor.sees(page.getByRole("heading", { name: "ada", level: 1 }));
});

test("what comes while Weir does not answer is there afterwards; what cannot be told any more is counted", async () => {
  const { page } = visitor;
  await visitor.open(PAGE);
  await anyRow().waitFor();
  visitor.expects(/ERR_FAILED/);
  await page.route(LIVE, (route) => route.abort());
  await visitor.sees("Trying again");
  await send([event("meanwhile")]);
  await stage.weir.waitStored();
  await visitor.expectFine();
  await page.unroute(LIVE);
  await row("meanwhile").waitFor();
  expect((await names()).filter((name) => name === "meanwhile")).toEqual(["meanwhile"]);
  // As a reader asks that came back too late: of seven events there is no file left.
  let isTold = false;
  await page.route(LIVE, async (route) => {
    const url = new URL(route.request().url());
    const since = url.searchParams.get("since");
    if (since === null || isTold) return route.continue();
    url.searchParams.set(
      "since",
      since.replace(/\d+$/, (stored) => String(Number(stored) - 7)),
    );
    const response = await route.fetch({ url: url.href });
    isTold = ((await response.json()) as { missed: number }).missed > 0;
    await route.fulfill({ response });
  });
  await send([event("beside it")]);
  await visitor.sees(/7 events of the project came before it was back/);
  await visitor.expectFine();
  await visitor.clicks("button", "Close this notice");
  await page.unroute(LIVE);
  await send([event("after it")]);
  await row("after it").waitFor();
});

test("a filter that cannot be asked says so; on a phone the list is as narrow as the window", async () => {
  const filters = JSON.stringify([{ type: "hogql", key: "no such(" }]);
  visitor.expects(/status of 400 /);
  await visitor.open(`${PAGE}?filters=${encodeURIComponent(filters)}`);
  await visitor.sees(visitor.page.getByRole("alert"));
  await visitor.leave();
  visitor = await stage.enter({ width: 360, scheme: "dark" });
  await visitor.open(`${PAGE}?columns=["number"]`);
  await anyRow().waitFor();
  await visitor.expectFine();
});

test("rows that were scrolled out of sight leave the memory", async () => {
  const { page } = visitor;
  await send(Array.from({ length: 200 }, (_, n) => event(`row ${n}`)));
  await visitor.open(PAGE);
  await anyRow().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const nodes = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "Nodes")!.value;
  };
  const before = await nodes();
  await list().evaluate(async (box) => {
    for (let frame = 0; frame < 60; frame++) {
      box.scrollTop += frame < 30 ? 200 : -200;
      await new Promise(requestAnimationFrame);
    }
  });
  expect(await nodes()).toBeLessThan(2 * before);
});
