import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { timeOf } from "../../src/web/app/pages/parts/events/days.ts";
import { Question } from "./support/question.ts";
import { fillShop, PEOPLE } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const HOUR_MS = 3_600_000;
/** Several pages of a timeline. */
const VISITS = 230;
const PAGE = "/project/1";

let stage: Stage;
let visitor: Visitor;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
  await send([
    event("$pageview", "anon-1", 30, {
      $current_url: "https://shop.example/lamps",
      $browser: "Firefox",
      $set_once: { source: "an ad" },
    }),
    event("$identify", "ada/1", 29, { $anon_distinct_id: "anon-1", $set: { name: "Ada Lovelace", plan: "team" } }),
    event("$groupidentify", "ada/1", 28, {
      $group_type: "company",
      $group_key: "acme",
      $group_set: { name: "Acme Inc.", seats: 5 },
    }),
    event("worked", "ada/1", 3, { $groups: { company: "acme" }, text: "x".repeat(1_000), tree: { leaf: [1] } }),
    event("quiet", "ghost", 2, { $process_person_profile: false }),
    ...Array.from({ length: VISITS }, (_, visit) => event("visited", "often", 50 + visit, { number: visit })),
    event("bought", "often", 51.5, {}),
  ]);
  const filters = { properties: { type: "AND", values: [personFilter("name", "Ada Lovelace")] } };
  await stage.weir.manage("POST", "/api/environments/1/cohorts/", { name: "Countesses", filters });
  await stage.weir.manage("POST", "/api/environments/1/cohorts/", { name: "Nobody", is_static: true });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
});

const personFilter = (key: string, value: string) => ({ type: "person", key, operator: "exact", value: [value] });
const event = (name: string, distinct_id: string, hoursAgo: number, properties: object) => ({
  event: name,
  distinct_id,
  timestamp: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
  properties,
});

async function send(events: object[]): Promise<void> {
  expect((await stage.weir.batch(events)).status).toBe(200);
  await stage.weir.waitStored();
}

const tab = (name: string) => visitor.page.getByRole("tab", { name, exact: true }).click();
const rows = () => visitor.page.getByRole("table", { name: "Persons" }).locator("tbody tr");

describe("the list of persons", () => {
  test("finds them by a part of what they are called, and leads to them", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/home`);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Persons" }).click();
    // "ghost" made no person.
    await rows()
      .nth(PEOPLE + 1)
      .waitFor();
    expect(await rows().count()).toBe(PEOPLE + 2);
    await visitor.expectFine();
    await page.getByRole("searchbox", { name: "Search persons" }).fill("LOVELACE");
    await visitor.sees(page.getByRole("link", { name: "Ada Lovelace" }));
    await rows().nth(1).waitFor({ state: "detached" });
    expect(visitor.address).toBe(`${PAGE}/persons?search=LOVELACE`);
    await page.reload();
    await visitor.clicks("link", "Ada Lovelace");
    await visitor.sees(page.getByRole("heading", { name: "Ada Lovelace", level: 1 }));
    expect(visitor.address).toBe(`${PAGE}/person/ada%2F1`);
    await page.goBack();
    await visitor.sees(page.getByRole("searchbox", { name: "Search persons" }));
    await page.getByRole("searchbox", { name: "Search persons" }).fill("nobody of this name");
    await visitor.sees("Nobody is found");
    await visitor.expectFine();
  });

  test("is narrowed by filters of persons", async () => {
    const filters = JSON.stringify([personFilter("plan", "team")]);
    await visitor.open(`${PAGE}/persons?${new URLSearchParams({ filters })}`);
    await visitor.sees(visitor.page.getByRole("link", { name: "Ada Lovelace" }));
    expect(await rows().count()).toBe(1);
    await visitor.expectFine();
  });
});

describe("a person", () => {
  test("has a timeline that goes on, the newest first, and can have one kind of event alone", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/person/often`);
    const events = page.locator(".timeline-event");
    await events.first().waitFor();
    // As far as there is more.
    for (let known = 0; known < VISITS + 1; ) {
      await events.nth(known).waitFor();
      known = await events.count();
      await events.last().scrollIntoViewIfNeeded();
    }
    const names = await page.locator(".timeline-name").allTextContents();
    expect(names).toEqual(["visited", "visited", "bought", ...Array<string>(VISITS - 2).fill("visited")]);
    expect(await page.locator(".list-end").count()).toBe(0);
    await visitor.expectFine();
    await page.locator(".timeline-tools .one-picker button").click();
    await page.locator(".search-list input[role=combobox]").fill("bought");
    await page.keyboard.press("Enter");
    await events.nth(1).waitFor({ state: "detached" });
    expect(await page.locator(".timeline-name").allTextContents()).toEqual(["bought"]);
    await visitor.expectFine();
  });

  test("has events that can be read in full, above the list and as a page", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/person/ada%2F1`);
    await page.locator(".timeline-event", { hasText: "worked" }).click();
    const dialog = page.getByRole("dialog", { name: "worked" });
    const table = dialog.getByRole("table", { name: "Properties of this event" });
    await table.waitFor();
    await visitor.sees(dialog.getByRole("link", { name: "Ada Lovelace" }));
    expect(await table.getByRole("row", { name: /^tree/ }).textContent()).toContain('{"leaf":[1]}');
    await dialog.getByRole("button", { name: "Show all 1,000 characters" }).click();
    await visitor.sees(dialog.getByText("x".repeat(1_000)));
    await visitor.expectFine();
    await dialog.getByRole("link", { name: "Open as a page" }).click();
    await visitor.sees(page.getByRole("heading", { name: "worked", level: 1 }));
    await visitor.sees(page.getByRole("table", { name: "Properties of this event" }));
    await visitor.expectFine();
    // Without its time it is found too, and what is none says so.
    const uuid = /events\/([\da-f-]{36})\//.exec(visitor.address)![1];
    await visitor.open(`${PAGE}/events/${uuid}`);
    await visitor.sees(page.getByRole("heading", { name: "worked", level: 1 }));
    await visitor.open(`${PAGE}/events/${crypto.randomUUID()}`);
    await visitor.sees("There is no such event");
    await visitor.expectFine();
  });

  test("has properties with the events that they came from", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/person/anon-1`);
    await tab("Properties");
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) });
    await visitor.sees(row("plan").getByText("Set by Identify"));
    await visitor.sees(row("source").getByText("Set once by Page view"));
    await visitor.sees(row("Browser").getByText("Seen with Page view"));
    await visitor.sees(row("Initial browser").getByText("First value of browser"));
    await visitor.expectFine();
    await row("plan").getByRole("button", { name: "Identify" }).click();
    await visitor.sees(page.getByRole("dialog", { name: "Identify" }).getByRole("table"));
    await visitor.presses("Escape");
    expect(visitor.address).toBe(`${PAGE}/person/anon-1#properties`);
  });

  test("has ids and how they became one, groups and cohorts", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/person/ada%2F1#ids`);
    await visitor.sees("anon-1 → ada/1");
    await visitor.expectFine();
    await tab("Cohorts");
    await visitor.sees(page.getByRole("link", { name: "Countesses" }));
    expect(await page.getByText("Nobody").count()).toBe(0);
    await visitor.expectFine();
    await tab("Groups");
    await page.getByRole("link", { name: "Acme Inc." }).click();
    await visitor.sees(page.getByRole("heading", { name: "Acme Inc.", level: 1 }));
    await page.goBack();
    await tab("Cohorts");
    await page.getByRole("link", { name: "Countesses" }).click();
    await visitor.sees(page.getByRole("link", { name: "Ada Lovelace" }));
    expect(await rows().count()).toBe(1);
    await visitor.expectFine();
  });

  test("of an id that made none says so, and has its events", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/person/ghost`);
    await visitor.sees("No person has this ID");
    await visitor.sees(page.locator(".timeline-event", { hasText: "quiet" }));
    expect(await page.getByRole("button", { name: "Delete person" }).count()).toBe(0);
    await visitor.expectFine();
  });

  test("is one click away from the people behind a number", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/insights/new`);
    const question = new Question(visitor);
    await question.event("Series", "bought");
    const chart = await question.drawn("canvas");
    await chart.getByRole("slider").focus();
    await visitor.presses("End", "ArrowLeft", "ArrowLeft", "Enter");
    await question.people();
    await page.locator(".person-head").first().click();
    await visitor.clicks("link", "Open the person");
    await visitor.sees(page.locator(".timeline-event", { hasText: "bought" }));
    await visitor.expectFine();
  });
});

describe("a group", () => {
  test("is in a list of its type, with its events, properties and persons", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/persons`);
    await visitor.clicks("link", "Companies");
    await visitor.clicks("link", "Acme Inc.");
    await visitor.sees(page.locator(".timeline-event", { hasText: "worked" }));
    await visitor.expectFine();
    await tab("Properties");
    expect(await page.getByRole("row", { name: /^seats/ }).textContent()).toContain("5");
    await visitor.expectFine();
    await tab("Persons and groups");
    await visitor.sees(page.getByRole("link", { name: "Ada Lovelace" }));
    await visitor.expectFine();
    await visitor.open(`${PAGE}/groups/0?search=no+such`);
    await visitor.sees("Nothing is found");
    await visitor.expectFine();
  });
});

describe("deleting a person", () => {
  const stored = async (distinctId: string) => {
    const query = { kind: "HogQLQuery", query: `SELECT count() FROM events WHERE distinct_id = '${distinctId}'` };
    const { json } = await stage.weir.manage("POST", "/api/environments/1/query/", {
      query,
      refresh: "force_blocking",
    });
    return (json as { results: number[][] }).results[0]![0];
  };

  test.each([
    ["leaves its events", "leaves", false],
    ["takes its events with it, where that is wished", "goes", true],
  ])("%s", async (_, id, withEvents) => {
    await send([event("came", id, 1, { $set: { name: id } }), event("went", id, 1, {})]);
    const { page } = visitor;
    await visitor.open(`${PAGE}/person/${id}`);
    await visitor.clicks("button", "Delete person");
    const dialog = page.getByRole("dialog");
    await visitor.sees(dialog.getByText("Its 2 events stay, without a person."));
    await visitor.expectFine();
    if (withEvents) await dialog.getByLabel("Delete its events, too").check();
    await dialog.getByRole("button", { name: withEvents ? "Delete with its events" : "Delete", exact: true }).click();
    await visitor.sees(`Deleted “${id}”`);
    await page.waitForURL(/\/persons$/);
    await rows().first().waitFor();
    expect(await page.getByRole("link", { name: id, exact: true }).count()).toBe(0);
    expect(await stored(id)).toBe(withEvents ? 0 : 2);
    await visitor.open(`${PAGE}/person/${id}`);
    await visitor.sees("No person has this ID");
  });
});

test("ids that are steps of a path have pages of their own", async () => {
  const { page } = visitor;
  const group = { $group_type: "company", $group_key: "..", $group_set: { name: "Dots Inc." } };
  await send([
    event("$groupidentify", "..", 2, group),
    event("dotted", "..", 1, { $set: { plan: "dots" }, $groups: { company: ".." } }),
    event("bare", ".", 1, { $process_person_profile: false }),
  ]);
  const sees = (name: string) => visitor.sees(page.locator(".timeline-event", { hasText: name }));
  await visitor.open(`${PAGE}/groups/0`);
  await page.getByRole("link", { name: "Dots Inc." }).click();
  await sees("dotted");
  const address = `${PAGE}/group?type=0&key=..`;
  expect(visitor.address).toBe(address);
  await visitor.open(`${address}#related`);
  await page.getByRole("link", { name: "..", exact: true }).click();
  await sees("dotted");
  expect(visitor.address).toBe(`${PAGE}/person?distinct_id=..`);
  await visitor.open(`${PAGE}/events?event=bare&from=-7d`);
  await page.getByRole("link", { name: ".", exact: true }).click();
  await sees("bare");
  await visitor.open(visitor.address);
  await sees("bare");
  await visitor.expectFine();
});

test("a long id and a name of spaces can be seen, and stay in the window", async () => {
  const { page } = visitor;
  const id = `strange ${"x".repeat(192)}`;
  await send([event("   ", id, 1, { $set: { name: "Strange" } })]);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await visitor.open(`${PAGE}/person/${encodeURIComponent(id)}`);
    await visitor.sees(page.locator(".timeline-event", { hasText: "“ ”" }));
    await visitor.expectFine();
  }
  await visitor.open(`${PAGE}/data-management/events`);
  await visitor.sees(page.getByRole("link", { name: "“ ”", exact: true }));
});

describe("the clock of the project", () => {
  const zone = "Pacific/Kiritimati";
  const setZone = (timezone: string) => stage.weir.manage("PATCH", "/api/environments/1/", { timezone });
  beforeAll(() => setZone(zone));
  afterAll(() => setZone("UTC"));
  const settings = /\/api\/environments\/1\/$/;
  /** The moments of an event are by it. */
  async function expectTimes(): Promise<void> {
    const { page } = visitor;
    await page.locator(".timeline-event", { hasText: "worked" }).click();
    const accepted = page.getByRole("dialog").locator("time").first();
    const at = (await accepted.getAttribute("datetime"))!;
    expect(await accepted.textContent()).toEndWith(timeOf(at, zone));
    expect(timeOf(at, zone)).not.toBe(timeOf(at, "UTC"));
  }

  test("is known before its settings are here", async () => {
    const { page } = visitor;
    await page.route(settings, () => {});
    await visitor.open(`${PAGE}/person/ada%2F1`);
    await expectTimes();
  });
});

test("deleting a group leaves its events", async () => {
  const about = { $group_type: "company", $group_key: "left & co", $group_set: { name: "Left Inc." } };
  await send([
    event("$groupidentify", "ada/1", 1, about),
    event("worked", "ada/1", 1, { $groups: { company: "left & co" } }),
  ]);
  const { page } = visitor;
  const address = `${PAGE}/groups/0/left%20%26%20co`;
  await visitor.open(address);
  await visitor.clicks("button", "Delete group");
  const dialog = page.getByRole("dialog");
  await visitor.sees(dialog.getByText("Its 1 event stays, with its key."));
  await visitor.expectFine();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await visitor.sees("Deleted “Left Inc.”");
  await page.waitForURL(/\/groups\/0$/);
  await visitor.sees(page.getByRole("link", { name: "Acme Inc." }));
  expect(await page.getByRole("link", { name: "Left Inc." }).count()).toBe(0);
  await visitor.open(address);
  await visitor.sees(page.locator(".timeline-event", { hasText: "worked" }));
  expect(await page.getByRole("button", { name: "Delete group" }).count()).toBe(0);
});

test("the pages of persons and groups are fine in dark, 360 px wide", async () => {
  const guest = await stage.enter({ width: 360, scheme: "dark" });
  const paths = ["persons", "groups/0", "groups/0/acme", "groups/0/acme#properties", "groups/0/acme#related"];
  const parts = ["", "#properties", "#ids", "#groups", "#cohorts"].map((part) => `person/ada%2F1${part}`);
  for (const path of [...paths, ...parts]) {
    await guest.open(`${PAGE}/${path}`);
    await guest.page.waitForLoadState("networkidle");
    await guest.sees(guest.page.getByRole("heading", { level: 1 }));
    await guest.expectFine();
  }
  await guest.leave();
});
