import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { fillShop, PEOPLE } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;
const PAGE = "/project/1";
const API = "/api/environments/1";
const CLICKS = 6;

let stage: Stage;
let visitor: Visitor;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
  const elements = (text: string, name: string | null) => [
    { tag_name: "button", $el_text: text, nth_child: 1, nth_of_type: 1, ...(name && { "attr__data-attr": name }) },
    { tag_name: "form", attr__id: "checkout", nth_child: 2, nth_of_type: 1 },
  ];
  const clicks = Array.from({ length: CLICKS }, (_, at) => ({
    event: "$autocapture",
    distinct_id: `person-${at}`,
    timestamp: new Date(Date.now() - (at + 1) * 60_000).toISOString(),
    properties: {
      $event_type: "click",
      $current_url: `https://shop.example/cart/${at}`,
      $elements: at < 4 ? elements("Buy now", "buy") : elements("<b>Remove</b>", null),
    },
  }));
  expect((await stage.weir.batch(clicks)).status).toBe(200);
  await stage.weir.waitStored();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
});

async function asked<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
  const { status, json } = await stage.weir.manage(method, API + path, body);
  expect([path, status < 300]).toEqual([path, true]);
  return json as T;
}

/** Picks the first of what is found in the picker that is open. */
async function pick(text: string): Promise<void> {
  const typed = visitor.page.locator(".search-list input[role=combobox]");
  await typed.fill(text);
  await visitor.page.locator(".listbox-option").first().waitFor();
  await typed.press("Enter");
}

const sizeSays = (text: string) => visitor.sees(visitor.page.locator(".cohort-size:not(.old)", { hasText: text }));
const button = (within: Locator, name: string) => within.getByRole("button", { name, exact: true });

describe("a cohort", () => {
  test("is made of nested conditions, says its size before it is saved, and lists its persons", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/persons`);
    await page.getByRole("link", { name: "Cohorts", exact: true }).click();
    await visitor.sees("None yet");
    await visitor.expectFine();
    await page.getByRole("link", { name: "New cohort" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Buyers");
    const form = page.getByRole("form", { name: "Cohort" });
    expect(await button(form, "Create cohort").isDisabled()).toBe(true);

    await button(form, "What they did").click();
    await visitor.sees("A condition is not finished.");
    await button(form, "Pick an event").click();
    await pick("bought");
    // Every fourth of the people buys, in the second of its visits.
    await sizeSays(`6 of ${PEOPLE} persons`);
    await page.getByLabel("What they did").selectOption("performed_event_multiple");
    await page.getByLabel("Times", { exact: true }).fill("4");
    await sizeSays("0 of");
    await page.getByLabel("What they did").selectOption("performed_event");
    await sizeSays("6 of");
    await visitor.expectFine();

    await button(form, "Group").click();
    const inner = page.getByRole("group", { name: "Group of conditions" });
    await button(inner, "Property or cohort").click();
    await pick("email");
    await page.locator(".listbox-option").getByText("person-4@example.com", { exact: true }).click();
    await visitor.presses("Escape");
    await sizeSays("1 of");
    await form.getByRole("button", { name: /^and: between conditions/ }).click();
    await sizeSays("6 of");
    await visitor.expectFine();

    await button(form, "Create cohort").click();
    await page.waitForURL(/\/cohorts\/\d+$/);
    await visitor.sees(page.getByRole("heading", { name: "Buyers", level: 1 }));
    const rows = page.getByRole("table", { name: "Persons of the cohort" }).locator("tbody tr");
    await rows.nth(5).waitFor();
    expect(await rows.count()).toBe(6);
    await visitor.expectFine();
    const id = Number(visitor.address.split("/").at(-1));
    const saved = await asked<{ name: string; filters: { properties: { type: string; values: object[] } } }>(
      "GET",
      `/cohorts/${id}/`,
    );
    expect(saved).toMatchObject({
      name: "Buyers",
      filters: { properties: { type: "OR", values: [{ key: "bought" }, { type: expect.any(String) }] } },
    });

    await page.reload();
    await sizeSays("6 of");
    await page.getByRole("button", { name: "Remove this group" }).click();
    await button(form, "Save").click();
    await visitor.sees("Saved");
    expect((await asked<typeof saved>("GET", `/cohorts/${id}/`)).filters.properties.values).toHaveLength(1);
  });

  test("can be a list by a file, that grows and shrinks, and says where it is used", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/cohorts/new`);
    const form = page.getByRole("form", { name: "Cohort" });
    await page.getByLabel("Name", { exact: true }).fill("Invited");
    await page.getByText("A list", { exact: true }).click();
    const file = (text: string) => ({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByLabel("Persons", { exact: true }).setInputFiles(file("distinct_id\nperson-1\nperson-2\n"));
    await visitor.expectFine();
    await button(form, "Create cohort").click();
    await visitor.sees("A list of 2 persons");
    const id = Number(visitor.address.split("/").at(-1));
    await page.getByLabel("More persons").setInputFiles(file("person-3\n"));
    await button(form, "Save").click();
    await visitor.sees("A list of 3 persons");
    const rows = page.getByRole("table", { name: "Persons of the cohort" }).locator("tbody tr");
    await rows.nth(2).waitFor();
    await page.getByRole("button", { name: "Take person-3@example.com off the list" }).click();
    await visitor.sees("A list of 2 persons");
    await rows.nth(2).waitFor({ state: "detached" });
    await visitor.expectFine();

    const query = { kind: "HogQLQuery", query: `select count() from persons where id in cohort ${id}` };
    await asked("POST", "/insights/", { name: "Of the invited", query, saved: true });
    await page.getByRole("tab", { name: "Used in" }).click();
    await visitor.sees(page.getByRole("link", { name: "Of the invited" }));
    await visitor.expectFine();
    await page.getByRole("link", { name: "New insight" }).click();
    await visitor.sees(page.locator(".chip", { hasText: "Invited" }));
  });

  test("is only shown to those that may look at it, and not there for those to whom it is closed", async () => {
    const { id } = await asked<{ id: number }>("POST", "/cohorts/", {
      name: "Secret",
      is_static: true,
      csv: "person-1",
    });
    await asked("PUT", `/cohorts/${id}/access_controls/`, { access_level: "viewer" });
    const window = await stage.join("Guest");
    const guest = await stage.enter({ width: 360, scheme: "dark" }, window);
    try {
      await guest.open(`${PAGE}/cohorts/${id}`);
      await guest.sees("person-1@example.com");
      expect(await guest.page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
      expect(await guest.page.getByRole("button", { name: /off the list$/ }).count()).toBe(0);
      await guest.expectFine();
      await asked("PUT", `/cohorts/${id}/access_controls/`, { access_level: "none" });
      await guest.open(`${PAGE}/cohorts`);
      await guest.sees(guest.page.getByRole("table", { name: "Cohorts" }));
      expect(await guest.page.getByText("Secret").count()).toBe(0);
      await guest.open(`${PAGE}/cohorts/${id}`);
      await guest.sees("There is no such cohort");
    } finally {
      await window.close();
    }
  });
});

describe("an action", () => {
  test("is made of a recent click, shows what matches, and takes other events, too", async () => {
    const { page } = visitor;
    await visitor.open(`${PAGE}/data-management/actions`);
    await visitor.sees("None yet");
    await visitor.expectFine();
    await page.getByRole("link", { name: "New action" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Bought");
    const form = page.getByRole("form", { name: "Action" });
    await visitor.sees(`${CLICKS} events in the last 30 days`);
    await button(form, "Pick from recent clicks").click();
    // What strangers sent is text.
    await visitor.sees("<b>Remove</b>");
    await visitor.expectFine();
    await page.getByRole("button", { name: /^Buy now/ }).click();
    await page.getByLabel("Selector", { exact: true }).last().check();
    await visitor.expectFine();
    await page.getByRole("button", { name: "Use these" }).click();
    await visitor.sees("4 events in the last 30 days");
    expect(await page.getByLabel("Selector", { exact: true }).inputValue()).toBe('button[data-attr="buy"]');
    await page.getByLabel("URL of the page", { exact: true }).fill("/cart/1");
    await visitor.sees("1 event in the last 30 days");
    await page.getByLabel("URL of the page: how it is compared").selectOption("regex");
    await page.getByLabel("URL of the page", { exact: true }).fill("/cart/[12]$");
    await visitor.sees("2 events in the last 30 days");

    await button(form, "Or another event").click();
    await page.getByRole("group", { name: "Step 2" }).locator(".one-picker button").first().click();
    await pick("bought");
    await page.locator(".action-count:not(.old)", { hasNotText: /^2 events/ }).waitFor();
    await visitor.expectFine();
    await page.locator(".action-event").first().click();
    await visitor.sees(page.getByRole("dialog").getByRole("table", { name: "Properties of this event" }));
    await visitor.presses("Escape");
    await button(form, "Create action").click();
    await page.waitForURL(/\/actions\/\d+$/);
    await visitor.sees(page.getByRole("heading", { name: "Bought", level: 1 }));
    const id = Number(visitor.address.split("/").at(-1));
    expect(await asked("GET", `/actions/${id}/`)).toMatchObject({
      name: "Bought",
      steps: [
        { event: "$autocapture", text: "Buy now", selector: 'button[data-attr="buy"]', url_matching: "regex" },
        { event: "bought", selector: null, url: null },
      ],
    });
    await visitor.expectFine();

    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await visitor.sees("“Bought” is deleted");
    await visitor.sees("None yet");
    await page.getByRole("button", { name: "Undo" }).click();
    await visitor.sees(page.getByRole("link", { name: "Bought" }));
  });

  test("says what is wrong with a selector, and keeps what was typed", async () => {
    const { page } = visitor;
    visitor.expects(/status of 400 /);
    await visitor.open(`${PAGE}/data-management/actions/new`);
    await page.getByLabel("Name", { exact: true }).fill("Odd");
    await page.getByLabel("Selector", { exact: true }).fill("a >>> b");
    await visitor.sees(/cannot be matched/);
    await button(page.getByRole("form", { name: "Action" }), "Create action").click();
    await visitor.sees(page.getByRole("form").getByText(/cannot be matched/));
    expect(await page.getByLabel("Selector", { exact: true }).inputValue()).toBe("a >>> b");
    await visitor.expectFine();
  });
});

describe.each([
  [
    "cohort",
    "cohorts",
    { filters: { properties: { type: "AND", values: [{ type: "person", key: "plan", value: "free" }] } } },
  ],
  ["action", "data-management/actions", { steps: [{ event: "bought" }] }],
] as const)("changes of one %s", (what, folder, content) => {
  const api = `/${what}s/`;
  const make = () => asked<{ id: number }>("POST", api, { name: "First", description: "", ...content });
  const field = (of: Visitor, label: string) => of.page.getByLabel(label, { exact: true }).first();

  test("are all that is saved: what another tab saved stays", async () => {
    const { id } = await make();
    const before = await asked("GET", `${api}${id}/`);
    const other = await stage.enter(LOOKS);
    try {
      for (const tab of [visitor, other]) await tab.open(`${PAGE}/${folder}/${id}`);
      for (const tab of [visitor, other]) await field(tab, "Name").waitFor();
      await field(other, "Name").fill("Second");
      await other.clicks("button", "Save");
      await other.sees("Saved");
      await field(visitor, "Description").fill("For all");
      await visitor.clicks("button", "Save");
      await visitor.sees("Saved");
      await visitor.sees(visitor.page.getByRole("heading", { name: "Second", level: 1 }));
      expect(await field(visitor, "Name").inputValue()).toBe("Second");
    } finally {
      await other.leave();
    }
    const { name, description, filters, steps } = await asked("GET", `${api}${id}/`);
    expect({ name, description, filters, steps }).toEqual({
      name: "Second",
      description: "For all",
      filters: before.filters,
      steps: before.steps,
    });
  });

  test("are kept by the browser until they are saved or taken back", async () => {
    const { id } = await make();
    const { page } = visitor;
    await visitor.open(`${PAGE}/${folder}/${id}`);
    await field(visitor, "Name").fill("Changed");
    await visitor.sees("Unsaved changes are kept in this browser.");
    await visitor.expectFine();
    await visitor.clicks("link", "Dashboards");
    await page.waitForURL(/dashboard$/);
    await page.goBack();
    await visitor.sees("Discard changes");
    expect(await field(visitor, "Name").inputValue()).toBe("Changed");
    await page.reload();
    await visitor.sees("Discard changes");
    expect(await field(visitor, "Name").inputValue()).toBe("Changed");
    await visitor.clicks("button", "Discard changes");
    expect(await field(visitor, "Name").inputValue()).toBe("First");
    await page.reload();
    await field(visitor, "Name").waitFor();
    expect(await field(visitor, "Name").inputValue()).toBe("First");
    expect(await page.getByText("Discard changes").count()).toBe(0);

    await visitor.open(`${PAGE}/${folder}/new`);
    await field(visitor, "Name").fill("A new one");
    await page.reload();
    await visitor.sees("Discard changes");
    expect(await field(visitor, "Name").inputValue()).toBe("A new one");
    await visitor.clicks("button", "Discard changes");
    expect(await field(visitor, "Name").inputValue()).toBe("");
  });
});
