import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const API = "/api/environments/1/";
const DATA = "/project/1/data-management";
const NAMES = 5_000;

let stage: Stage;
let visitor: Visitor;
let guests: BrowserContext;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  const event = (name: string, properties: object) => ({ event: name, distinct_id: "ada", properties });
  await stage.weir.batch([
    ...Array.from({ length: 3 }, (_, n) =>
      event("bought", { price: `${n}`, $browser: "Firefox", $set: { plan: "team" } }),
    ),
    event("<img src=x onerror=alert(1)>", {}),
  ]);
  await stage.weir.waitStored();
  // As many new names as one flush takes note of.
  await stage.weir.batch(Array.from({ length: NAMES }, (_, n) => event(`name ${String(n).padStart(4, "0")}`, {})));
  await stage.weir.waitStored();
  guests = await stage.join("Guest");
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
});

async function asked(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const { status, json } = await stage.weir.manage(method, path, body);
  expect([path, status < 300]).toEqual([path, true]);
  return json as Record<string, unknown>;
}

const rows = () => visitor.page.getByRole("table").locator("tbody tr:not([aria-hidden])");
const search = () => visitor.page.getByRole("searchbox", { name: "Search names" });
const section = (name: string) =>
  visitor.page.locator("section", { has: visitor.page.getByRole("heading", { name, exact: true }) });

describe("the list of names", () => {
  test("finds one of thousands while one types, and sorts them", async () => {
    const { page } = visitor;
    await visitor.open("/project/1/home");
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Data" }).click();
    await visitor.sees("5,002");
    // The most frequent one is the first, and only those in sight are in the page.
    expect(await rows().first().textContent()).toContain("bought");
    expect(await rows().count()).toBeLessThan(100);
    await visitor.expectFine();
    const requests: string[] = [];
    page.on("request", (request) => {
      // A browser asks for icons when it likes.
      if (request.resourceType() === "fetch") requests.push(request.url());
    });
    await search().fill("NAME 4321");
    await visitor.sees("1 of 5,002");
    expect(await rows().allTextContents()).toEqual([expect.stringContaining("name 4321")]);
    await search().fill("onerror");
    await visitor.sees(page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }));
    expect(requests).toEqual([]);
    await until("the address", HANG_MS, async () => visitor.address === `${DATA}/events?search=onerror`);
    await search().fill("");
    await page.getByRole("button", { name: "Name", exact: true }).click();
    await visitor.sees(page.getByRole("link", { name: "name 0000" }));
    await visitor.expectFine();
    await page.getByRole("navigation", { name: "Names" }).getByRole("link", { name: "Person properties" }).click();
    await visitor.sees(page.getByRole("link", { name: "plan" }));
    await visitor.expectFine();
  });
});

describe("a name", () => {
  test("of an event gets a description, tags and a mark, by which it is found", async () => {
    const { page } = visitor;
    await visitor.open(`${DATA}/events`);
    await search().fill("bought");
    await visitor.clicks("link", "bought");
    await visitor.sees(page.getByRole("heading", { name: "bought", level: 1 }));
    await visitor.sees(section("Properties").getByRole("link", { name: "price" }));
    const save = page.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel("Description").fill("Somebody paid");
    await page.getByLabel("Tags").fill("Revenue, core");
    await page.getByText("Verified", { exact: true }).click();
    await save.click();
    await visitor.sees("Saved");
    expect(await page.getByLabel("Tags").inputValue()).toBe("core, revenue");
    await visitor.sees(section("Activity").getByText("core, revenue"));
    expect(await section("Activity").getByRole("listitem").first().textContent()).toContain(
      "descriptionnothing→becameSomebody paid",
    );
    await visitor.expectFine();
    await page.getByRole("main").getByRole("link", { name: "Event", exact: true }).click();
    await search().fill("revenue paid");
    await visitor.sees("1 of 5,002");
    expect(await rows().first().textContent()).toContain("Verified");
    await visitor.expectFine();
    expect(await asked("GET", `${API}event_definitions/bought/`)).toMatchObject({
      description: "Somebody paid",
      tags: ["core", "revenue"],
      verified: true,
    });
  });

  test("of a property gets another type, and says where it is used", async () => {
    const { page } = visitor;
    const series = [{ kind: "EventsNode", event: "bought", math: "sum", math_property: "price" }];
    const query = { kind: "InsightVizNode", source: { kind: "TrendsQuery", series } };
    await asked("POST", `${API}insights/`, { name: "Revenue", query, saved: true });
    await asked("POST", `${API}actions/`, { name: "Payment", steps: [{ event: "bought" }] });
    const { id } = await asked("GET", `${API}property_definitions/price/`);
    await visitor.open(`${DATA}/properties/${id}`);
    await visitor.sees(section("Where it is used").getByRole("link", { name: "Revenue" }));
    await page.getByLabel("Type").selectOption("Numeric");
    await page.getByRole("button", { name: "Save" }).click();
    await visitor.sees(section("Activity").getByText("Numeric"));
    await visitor.expectFine();
    expect(await asked("GET", `${API}property_definitions/price/`)).toMatchObject({ property_type: "Numeric" });
    await visitor.open(`${DATA}/events/bought`);
    await visitor.sees(section("Where it is used").getByRole("link", { name: "Payment" }));
    await section("Where it is used").getByRole("link", { name: "Revenue" }).click();
    await visitor.sees(page.getByRole("textbox", { name: "Name" }));
  });

  test("that was a mistake is forgotten once that is confirmed", async () => {
    const { page } = visitor;
    await visitor.open(`${DATA}/events/${encodeURIComponent("name 0007")}`);
    await visitor.clicks("button", "Forget this event");
    await visitor.expectFine();
    await page.getByRole("dialog").getByRole("button", { name: "Forget", exact: true }).click();
    await visitor.sees("5,001");
    expect((await stage.weir.manage("GET", `${API}event_definitions/name%200007/`)).status).toBe(404);
    await visitor.expectFine();
  });
});

describe("the activity", () => {
  const line = (text: string) => visitor.page.locator(".activity > li", { hasText: text });

  test("is narrowed by kind and person, goes on as far as one scrolls, and leads to what was changed", async () => {
    const { page } = visitor;
    for (let n = 0; n < 60; n++) await asked("POST", `${API}actions/`, { name: `Action ${n}` });
    await visitor.open("/project/1/settings");
    await visitor.clicks("link", "Activity");
    await page.getByLabel("Kind").selectOption("Action");
    await visitor.sees("61 entries");
    for (let known = 50; known < 61; known = await page.locator(".activity > li").count()) {
      await page.locator(".activity > li").last().scrollIntoViewIfNeeded();
      await page.locator(".activity > li").nth(known).waitFor();
    }
    expect(await page.locator(".activity > li").last().textContent()).toContain("Payment");
    await visitor.expectFine();
    await page.getByLabel("Kind").selectOption("EventDefinition");
    await visitor.sees(line("changed the event").getByText("verified"));
    await page.reload();
    await visitor.sees(line("deleted the event name 0007"));
    expect(visitor.address).toBe("/project/1/activity-logs?scope=EventDefinition");
    await page.getByLabel("Time").selectOption("dates");
    await page.getByLabel("To").fill("2020-01-01");
    await visitor.sees("Nothing was done");
    await page.getByLabel("Time").selectOption("7");
    await visitor.expectFine();
    await line("changed the event").getByRole("link", { name: "bought" }).click();
    await visitor.sees(page.getByRole("heading", { name: "bought", level: 1 }));
    await visitor.open("/project/1/activity-logs");
    await page.getByText("Everything", { exact: true }).click();
    await page.getByLabel("Kind").selectOption("OrganizationMembership");
    await visitor.sees(line("made the member"));
    await visitor.expectFine();
  });

  test("tells a member nothing of what is closed to it", async () => {
    const { id: board } = await asked("POST", `${API}dashboards/`, { name: "Board of the board" });
    const { results } = await asked("GET", `${API}insights/?search=Revenue`);
    const [insight] = results as { id: number }[];
    await asked("PATCH", `${API}insights/${insight!.id}/`, { dashboards: [board], description: "All of it" });
    await asked("PUT", `${API}dashboards/${board}/access_controls/`, { access_level: "none" });
    await visitor.open("/project/1/activity-logs?scope=Insight");
    await visitor.sees(line("changed the insight Revenue").getByText("Board of the board"));
    const guest = await stage.enter(LOOKS, guests);
    const own = guest.page.locator(".activity > li", { hasText: "changed the insight Revenue" });
    await guest.open("/project/1/activity-logs?scope=Insight");
    await guest.sees(own.getByText("All of it"));
    expect(await guest.page.locator("main").textContent()).not.toContain("Board of the board");
    expect(await guest.page.getByText("Everything", { exact: true }).count()).toBe(0);
    await guest.expectFine();
    await guest.leave();
  });
});
