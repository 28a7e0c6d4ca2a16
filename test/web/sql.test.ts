import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import { fillShop, PEOPLE } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const BY_EVENT = "SELECT event, count() AS n FROM events GROUP BY event ORDER BY n DESC";

let stage: Stage;
let visitor: Visitor;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});
beforeEach(async () => {
  visitor = await stage.enter({ width: 1440, scheme: "light" });
});
afterEach(async () => {
  await visitor.leave();
});

const editor = (): Locator => visitor.page.getByRole("textbox", { name: "SQL" });
const answer = (): Locator => visitor.page.getByRole("region", { name: "Answer" });
const problems = (): Locator => visitor.page.getByRole("list", { name: "Problems" });
const offers = (): Locator => visitor.page.locator(".cm-tooltip-autocomplete");
const text = async (): Promise<string> =>
  (await editor().locator(".cm-line").allInnerTexts()).map((line) => line.replace(/\n$/, "")).join("\n");

/** The page with a text, as somebody writes it. */
async function write(query: string, path = "/project/1/sql"): Promise<void> {
  await visitor.open(path);
  await editor().click();
  await visitor.presses("ControlOrMeta+A");
  await visitor.page.keyboard.insertText(query);
}

/** When something was run last in this browser. */
const lastRun = (): Promise<unknown> =>
  visitor.page.evaluate(`JSON.parse(localStorage.getItem("weir.sql.history.1") ?? "[]")[0]?.atMs ?? null`);

/** Runs what stands there; the rows that are shown, as texts. */
async function run(): Promise<string[][]> {
  const before = await lastRun();
  await visitor.presses("ControlOrMeta+Enter");
  await until("an end of the run", HANG_MS, async () => (await lastRun()) !== before);
  return rows();
}

async function rows(): Promise<string[][]> {
  const { page } = visitor;
  const problem = page.locator(".sql-work").getByRole("alert");
  await page.locator(".sql-results[aria-busy=false]").or(problem).first().waitFor();
  expect(await problem.allInnerTexts()).toEqual([]);
  const lines = await answer().locator("tbody tr:not([aria-hidden])").all();
  return Promise.all(lines.map((line) => line.locator("td").allInnerTexts()));
}

describe("SQL", () => {
  test("says why there are no tables and properties beside it, and has them with the next try", async () => {
    const { page } = visitor;
    const beside = page.getByRole("complementary", { name: "Tables and properties" });
    const names = /property_definitions|\/query\/$/;
    visitor.expects(/status of 500 /);
    const body = JSON.stringify({ type: "server_error", code: "error", detail: "The lake is dry.", attr: null });
    await page.route(names, (route) => route.fulfill({ status: 500, body }));
    await visitor.open("/project/1/sql");
    await visitor.sees(beside.getByRole("alert").getByText("The lake is dry."));
    await visitor.expectFine();
    await page.unroute(names);
    await beside.getByRole("button", { name: "Try again" }).click();
    await visitor.sees(beside.getByText(/^Person properties/));
    await beside.getByRole("alert").waitFor({ state: "detached" });
    await beside.getByLabel("Find a name").fill("no such name");
    await visitor.sees(beside.getByRole("status").getByText("Nothing is found"));
    await visitor.expectFine();
  });

  test("is run by keyboard, and its rows come as a table", async () => {
    await visitor.open("/project/1/home");
    await visitor.sees(visitor.page.getByRole("link", { name: "SQL" }));
    await visitor.goes("q", "sql");
    await editor().click();
    await visitor.page.keyboard.insertText(BY_EVENT);
    const shown = await run();
    expect(shown.map(([event]) => event)).toEqual(["$pageview", "bought", "signed up"]);
    expect(Number(shown[2]![1])).toBe(PEOPLE / 2);
    await visitor.sees(answer().getByText("3 rows"));
    await visitor.expectFine();
  });

  test("offers names that come after something was typed", async () => {
    const { page } = visitor;
    const come = Promise.withResolvers<void>();
    await page.route(/property_definitions/, async (route) => {
      await come.promise;
      await route.continue();
    });
    await write("SELECT person.properties.em");
    await page.keyboard.type("a");
    expect(await offers().count()).toBe(0);
    come.resolve();
    await visitor.sees(offers().getByRole("option", { name: /^email/ }));
  });

  test("offers names where they can stand, and Enter takes one", async () => {
    await write("SELECT person.properties.em");
    await visitor.page.keyboard.type("a");
    await visitor.sees(offers().getByRole("option", { name: /^email/ }));
    await visitor.expectFine();
    await visitor.presses("Enter");
    expect(await text()).toBe("SELECT person.properties.email");
    await visitor.page.keyboard.type(", uniqEx");
    await visitor.sees(offers().getByRole("option", { name: /uniqExact/ }));
    await visitor.sees("uniqExact(any, any…) → integer");
    await visitor.presses("Escape");
    await visitor.page.keyboard.insertText("act(distinct_id) FROM ");
    await visitor.page.keyboard.type("ev");
    await offers()
      .getByRole("option", { name: /^events/ })
      .click();
    await visitor.page.keyboard.type(" WHERE event = 's");
    await offers().getByRole("option", { name: "signed up" }).click();
    expect(await text()).toContain("FROM events WHERE event = 'signed up'");
  });

  test("underlines what is wrong, says it in words, and leads there", async () => {
    await write("SELECT '😀',\n  evnt\nFROM events");
    await visitor.sees(problems().getByText("Unable to resolve field: evnt. Perhaps you meant 'event'?"));
    expect(await visitor.page.locator(".cm-lintRange-error").allInnerTexts()).toEqual(["evnt"]);
    await visitor.expectFine();
    await problems().getByRole("button", { name: "Line 2, column 3" }).click();
    await visitor.page.keyboard.type("event");
    await problems().getByRole("listitem").waitFor({ state: "detached" });
    expect(await text()).toBe("SELECT '😀',\n  event\nFROM events");
    await visitor.page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
  });

  test("says why it could not be run, and keeps the text", async () => {
    const query = "SELECT throwIf(1) FROM events WHERE match(event, '(')";
    await write(query);
    visitor.expects(/status of 400 /);
    await visitor.presses("ControlOrMeta+Enter");
    await visitor.sees(visitor.page.getByRole("alert").or(problems().getByRole("listitem")));
    expect(await text()).toBe(query);
  });

  test("is cancelled on the server, too", async () => {
    const { page } = visitor;
    const query = "SELECT count() FROM numbers(100000000000) WHERE number % 7 = 3 AND toString(number) LIKE '%9%'";
    await write(query);
    await visitor.presses("ControlOrMeta+Enter");
    const ended = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Cancel" }).click();
    // Not "already complete": it ran.
    expect(await (await ended).json()).toEqual({ message: "Query task revoked" });
    await visitor.sees("Cancelled");
    await visitor.sees(page.getByRole("button", { name: "Run" }));
    expect(await text()).toBe(query);
    await visitor.expectFine();
  });

  test("has fifty thousand rows in its table, of which few are in the page", async () => {
    const { page } = visitor;
    await write("SELECT number AS n, concat('row ', toString(number)) AS words FROM numbers(60000) LIMIT 50000");
    await run();
    await visitor.sees(answer().getByText("The first 50,000 rows"));
    expect(await answer().getByRole("row").count()).toBeLessThan(100);
    await answer()
      .locator(".table-box")
      .evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await visitor.sees(answer().getByRole("cell", { name: "row 49999" }));
    await answer().getByRole("button", { name: "n", exact: true }).click();
    await answer()
      .locator(".table-box")
      .evaluate((box) => box.scrollTo(0, 0));
    await visitor.sees(answer().getByRole("cell", { name: "49999", exact: true }));
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    const lines = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([50_001, "﻿n,words", "49999,row 49999"]);
    await visitor.expectFine();
  });

  test("takes variables, and shows what was run", async () => {
    const { page } = visitor;
    await write("SELECT count() FROM events WHERE properties.amount > {variables.least}");
    await page.getByLabel("Type of least").selectOption({ label: "Number" });
    await page.getByLabel("least", { exact: true }).fill("32");
    const [[count]] = (await run()) as [[string]];
    await page.getByLabel("least", { exact: true }).fill("1000");
    expect(Number(count)).toBeGreaterThan(0);
    expect(await run()).toEqual([["0"]]);
    await page.getByRole("button", { name: "Show statements" }).click();
    const dialog = page.getByRole("dialog");
    await visitor.sees(dialog.getByText(/Reads \d+ files/));
    await visitor.sees(dialog.getByText(/\$\d+ = 1000/));
    await visitor.sees(dialog.getByText("greater(properties.amount, {variables.least})"));
    await visitor.expectFine();
  });

  test("keeps what was run, and what was written", async () => {
    const { page } = visitor;
    await write("SELECT 41 + 1");
    await run();
    await visitor.presses("ControlOrMeta+A");
    await page.keyboard.insertText("SELECT 'half written");
    await problems().getByRole("listitem").waitFor();
    await visitor.open("/project/1/home");
    await visitor.open("/project/1/sql");
    await visitor.sees(editor());
    expect(await text()).toBe("SELECT 'half written");
    await page.getByRole("button", { name: "History" }).click();
    await visitor.expectFine();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /SELECT 41 \+ 1/ })
      .click();
    expect(await text()).toBe("SELECT 41 + 1");
    expect(await run()).toEqual([["42"]]);
  });

  test("leads back to what was run before", async () => {
    await write("SELECT 1");
    await run();
    await visitor.page.waitForTimeout(1_100);
    await editor().click();
    await visitor.presses("ControlOrMeta+A");
    await visitor.page.keyboard.insertText("SELECT 2");
    await run();
    await visitor.page.goBack();
    await until("the text before", HANG_MS, async () => (await text()) === "SELECT 1");
  });

  test("is saved as an insight with its chart, and changed", async () => {
    const { page } = visitor;
    await write(BY_EVENT);
    await run();
    await page.getByRole("group", { name: "Show as" }).getByText("Chart").click();
    await page.getByLabel("Chart", { exact: true }).last().selectOption({ label: "Ranking" });
    await visitor.sees(answer().getByText("$pageview"));
    await visitor.expectFine();
    await page.getByRole("button", { name: "Save as insight" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("By event");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/open_insight=/);
    const shortId = new URL(page.url()).searchParams.get("open_insight")!;
    await visitor.sees(page.getByRole("heading", { name: "By event" }));
    await visitor.open("/project/1/insights");
    await page.getByRole("link", { name: "By event" }).click();
    await page.waitForURL(`**/insights/${shortId}`);
    await visitor.sees(page.locator(".rank-bars").getByText("$pageview"));
    await visitor.expectFine();
    await page.getByRole("link", { name: "Edit as SQL" }).click();
    await visitor.sees(answer().locator(".rank-bars"));
    await editor().click();
    await visitor.presses("ControlOrMeta+End");
    await page.keyboard.insertText(" LIMIT 1");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await visitor.sees("Saved");
    const { json } = await stage.weir.manage("GET", `/api/environments/1/insights/?short_id=${shortId}`);
    const [{ query }] = (json as { results: [{ query: object }] }).results;
    expect(query).toMatchObject({
      kind: "DataVisualizationNode",
      display: "ActionsBarValue",
      source: { kind: "HogQLQuery", query: `${BY_EVENT} LIMIT 1` },
    });
  });

  test("begins with the question of an insight, whose numbers it gives", async () => {
    const { page } = visitor;
    const source = {
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: "signed up" }],
      trendsFilter: { display: "BoldNumber" },
    };
    const open = (node: object) =>
      visitor.open(`/project/1/insights/new#q=${encodeURIComponent(JSON.stringify(node))}`);
    await open(source);
    await visitor.sees(page.locator(".big-number"));
    await page.getByRole("button", { name: "Show the SQL" }).click();
    await visitor.expectFine();
    await page.getByRole("link", { name: "Edit as SQL" }).click();
    await page.waitForURL("**/sql#q=*");
    await editor().click();
    const cells = (await run()).flat();
    expect(cells).toContain(String(PEOPLE / 2));
    await open({ ...source, trendsFilter: { formula: "A / 2" } });
    await page.getByRole("button", { name: "Show the SQL" }).click();
    await visitor.sees("It gives the numbers before the formula");
    expect(await page.getByRole("link", { name: "Edit as SQL" }).count()).toBe(0);
  });

  test("shows texts of strangers as texts", async () => {
    const hostile = "<img src=x onerror=alert(1)>";
    await write(`SELECT '${hostile}' AS "${hostile}", 1 AS n`);
    expect(await run()).toEqual([[hostile, "1"]]);
    await visitor.page.getByRole("group", { name: "Show as" }).getByText("Chart").click();
    await visitor.sees(answer().locator(".rank-bars, canvas"));
    await visitor.expectFine();
  });

  test("can be used on a phone in the dark", async () => {
    const phone = await stage.enter({ width: 360, scheme: "dark" });
    await phone.open("/project/1/sql");
    await phone.page.getByRole("textbox", { name: "SQL" }).click();
    await phone.presses("ControlOrMeta+A");
    await phone.page.keyboard.insertText("SELECT event, timestamp, distinct_id FROM events LIMIT 20");
    await phone.page.getByRole("button", { name: "Run" }).click();
    await phone.sees(phone.page.getByRole("region", { name: "Answer" }).getByText("20 rows"));
    await phone.page.getByRole("button", { name: "Tables" }).click();
    await phone.sees(phone.page.getByRole("complementary", { name: "Tables and properties" }));
    await phone.expectFine();
    await phone.leave();
  });
});
