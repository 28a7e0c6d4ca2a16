import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import { Question } from "./support/question.ts";
import { fillShop, PEOPLE, shopEvents } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const LOOKS = { width: 1440, scheme: "light" } as const;

let stage: Stage;
let visitor: Visitor;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
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

const project = (id = 1) => asked("GET", `/api/environments/${id}/`);

describe("the settings of a project", () => {
  test("say what test accounts are, and whether new insights leave them out", async () => {
    const { page } = visitor;
    await visitor.open("/project/1/settings");
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Test accounts" }) });
    await section.getByRole("button", { name: "Filter" }).click();
    await page.locator(".search-list input[role=combobox]").fill("plan");
    await page.locator(".listbox-option").getByText("plan", { exact: true }).first().click();
    await page.locator(".listbox-option").getByText("business", { exact: true }).click();
    await visitor.presses("Escape");
    const shop = shopEvents(Date.now()) as { distinct_id: string; properties: { plan: string } }[];
    const out = shop.filter(({ properties }) => properties.plan !== "business");
    const persons = new Set(out.map(({ distinct_id }) => distinct_id)).size;
    await visitor.sees(
      new RegExp(`they leave out ${out.length} of ${shop.length} events .*, and ${persons} of ${PEOPLE} persons`),
    );
    await section.getByLabel("Exclude them in new insights").check();
    await section.getByRole("button", { name: "Save" }).click();
    await visitor.sees("Saved");
    await visitor.expectFine();
    expect(await project()).toMatchObject({
      test_account_filters: [{ key: "plan", type: "event", operator: "exact", value: ["business"] }],
      test_account_filters_default_checked: true,
    });
    await visitor.open("/project/1/insights/new");
    const question = new Question(visitor);
    await question.drawn();
    expect(await question.form.getByLabel("Exclude test accounts").isChecked()).toBe(true);
    await visitor.expectFine();
  });

  test("are saved as far as they were changed: a name that another admin gave meanwhile stays", async () => {
    const { page } = visitor;
    await visitor.open("/project/1/settings");
    await page.getByRole("textbox", { name: "Name", exact: true }).first().waitFor();
    await asked("PATCH", "/api/environments/1/", { name: "Shop of another" });
    await page.getByRole("group", { name: "Weeks begin on" }).getByText("Monday").click();
    const form = page.locator("form", { has: page.getByText("Weeks begin on").first() });
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await project()).toMatchObject({ name: "Shop of another", week_start_day: 1 });
    await visitor.sees(form.getByRole("button", { name: "Save", disabled: true }));
    await visitor.expectFine();
  });

  test("give the project another key once that is confirmed", async () => {
    const { page } = visitor;
    const { api_token: before } = await project();
    await visitor.open("/project/1/settings");
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Project key" }) });
    const shown = () => section.getByLabel("Project key").inputValue();
    await section.getByRole("button", { name: "Replace the key" }).click();
    await visitor.expectFine();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect([(await project()).api_token, await shown()]).toEqual([before, before]);
    await section.getByRole("button", { name: "Replace the key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace it" }).click();
    await visitor.sees("The project has a new key");
    const { api_token: after } = await project();
    expect([await shown(), after === before]).toEqual([after as string, false]);
    await visitor.sees(page.getByRole("tabpanel").getByText(after as string));
    await visitor.expectFine();
  });

  test("delete it for somebody that types its name", async () => {
    const { page } = visitor;
    const { id } = await asked("POST", "/api/projects/", { name: "Short-lived" });
    await visitor.open(`/project/${id}/settings`);
    await visitor.clicks("button", "Delete project");
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Delete for good" });
    for (const typed of ["", "Short"]) {
      await dialog.getByLabel("Name of the project").fill(typed);
      expect(await remove.isDisabled()).toBe(true);
    }
    await visitor.expectFine();
    await dialog.getByLabel("Name of the project").fill("Short-lived");
    await remove.click();
    await page.waitForURL(/\/project\/1\//);
    await visitor.sees("Deleted “Short-lived”");
    expect(await stage.weir.manage("GET", `/api/environments/${id}/`)).toMatchObject({ status: 404 });
    await page.getByRole("button", { name: /^Project:/ }).click();
    expect(await page.getByRole("option", { name: "Short-lived" }).count()).toBe(0);
    await visitor.expectFine();
  });
});

describe("a member that may only look at an insight", () => {
  let window: BrowserContext;
  let address = "";
  beforeAll(async () => {
    const query = {
      kind: "InsightVizNode",
      source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "bought" }] },
    };
    const insights = "/api/environments/1/insights/";
    const made = await asked("POST", insights, { name: "Fixed", description: "As it is", query, saved: true });
    await asked("PUT", `${insights}${made.id}/access_controls/`, { access_level: "viewer" });
    await asked("POST", "/api/environments/1/alerts/", {
      ...{ name: "Too few", insight: made.id, condition: { type: "absolute_value" } },
      threshold: { configuration: { type: "absolute", bounds: { lower: 1 } } },
    });
    await asked("POST", "/api/environments/1/subscriptions/", {
      ...{ title: "Each day", insight: made.id, target_type: "email", target_value: "ada@example.com" },
      ...{ frequency: "daily", start_date: new Date().toISOString() },
    });
    address = `/project/1/insights/${made.short_id}`;
    window = await stage.join("Guest");
  });
  afterAll(() => window.close());

  test("is offered nothing that would be refused, and keeps a change as an insight of its own", async () => {
    const guest = await stage.enter(LOOKS, window);
    const { page } = guest;
    const button = (name: string) => page.getByRole("button", { name, exact: true }).count();
    await guest.open(address);
    const question = new Question(guest);
    await question.drawn("canvas");
    await guest.sees("As it is");
    expect(await page.getByRole("textbox", { name: "Name" }).getAttribute("readonly")).not.toBeNull();
    expect([await button("Share"), await button("Add to dashboard")]).toEqual([0, 0]);
    await page.getByRole("button", { name: "More", exact: true }).click();
    // A member that sees an insight may watch it.
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Duplicate", "Alerts", "Subscriptions"]);
    await guest.clicks("menuitem", "Alerts");
    await guest.sees("Too few");
    expect([await button("New alert"), await button("More for Too few")]).toEqual([0, 0]);
    await guest.presses("Escape");
    await guest.expectFine();
    await guest.clicks("button", "Edit");
    await question.event("Series", "signed");
    await guest.sees("Unsaved changes.");
    expect(await button("Save")).toBe(0);
    await guest.expectFine();
    await guest.clicks("button", "Save as new");
    await guest.sees("Saved as a new insight");
    await until("the copy", HANG_MS, async () => !guest.address.startsWith(address));
    await question.drawn("canvas");
    await guest.sees(page.getByRole("button", { name: "Share" }));
    await guest.open("/project/1/settings");
    await guest.sees(page.getByRole("heading", { name: "Personal keys" }));
    expect([await button("Delete project"), await button("Replace the key")]).toEqual([0, 0]);
    await page.getByRole("button", { name: /^Project:/ }).click();
    expect(await button("New project")).toBe(0);
    await guest.expectFine();
  });

  test("is offered nothing more in the list", async () => {
    const guest = await stage.enter(LOOKS, window);
    const { page } = guest;
    await guest.open("/project/1/insights");
    const favourite = page.getByRole("button", { name: "Favourite: Fixed", exact: true });
    await favourite.waitFor();
    expect(await favourite.isDisabled()).toBe(true);
    await page.getByRole("button", { name: "More: Fixed", exact: true }).click();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Duplicate"]);
    await guest.presses("Escape");
    // The rights are those of each: their own can be changed.
    expect(await page.getByRole("button", { name: "Favourite: Fixed (copy)", exact: true }).isEnabled()).toBe(true);
    await guest.open("/project/1/alerts");
    await guest.sees("Too few");
    await guest.sees("Each day");
    expect(await page.getByRole("button", { name: /^More for|^End/ }).count()).toBe(0);
    await guest.expectFine();
  });

  test("is offered to make nothing, where all of a kind may only be looked at", async () => {
    const levels = (access_level: string | null) =>
      Promise.all(
        ["insight", "dashboard", "cohort", "action"].map((resource) =>
          stage.weir.manage("PUT", "/api/environments/1/resource_access_controls/", { resource, access_level }),
        ),
      );
    const guest = await stage.enter(LOOKS, window);
    const { page } = guest;
    await levels("viewer");
    for (const place of ["cohorts", "data-management/actions", "dashboard", "insights/new", "sql"]) {
      await guest.open(`/project/1/${place}`);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
      const offered = page
        .getByRole("main")
        .locator("a, button")
        .filter({ hasText: /^(?:New |Save|Duplicate)/ });
      expect([place, await offered.allTextContents()]).toEqual([place, []]);
    }
    await guest.presses("Control+k");
    await page.getByRole("combobox").fill("new");
    await guest.sees(page.getByRole("option", { name: /New insight/ }));
    expect(await page.getByRole("option", { name: /New (?:dashboard|cohort|action)/ }).count()).toBe(0);
    await guest.presses("Escape");
    await levels(null);
    await guest.open("/project/1/cohorts");
    await guest.sees(page.getByRole("link", { name: "New cohort" }));
    await guest.leave();
  });
});

describe("a key that may only read", () => {
  const OFFERED =
    /^(?:Save|Save as new|Share|Duplicate|Delete|Rename|Add|Add to dashboard|Edit layout|Favourite|Pin|Unpin|Revoke|New (?:dashboard|key|project)|Make|Change|Replace|Load the demo|Forget)/;
  let window: BrowserContext;
  let board = 0;
  let insight = "";
  beforeAll(async () => {
    const query = {
      kind: "InsightVizNode",
      source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "signed up" }] },
    };
    const made = await asked("POST", "/api/environments/1/insights/", { name: "Sign-ups", query, saved: true });
    const { id } = await asked("POST", "/api/environments/1/dashboards/", { name: "To look at" });
    await asked("POST", `/api/environments/1/dashboards/${id}/tiles/`, { insight: made.id });
    board = id as number;
    insight = made.short_id as string;
    const nouns = ["user", "organization", "project", "insight", "dashboard", "query", "cohort", "action", "person"];
    const more = ["group", "event_definition", "property_definition"];
    const scopes = [...nouns, ...more].map((noun) => `${noun}:read`);
    const { value } = await asked("POST", "/api/personal_api_keys/", { label: "reader", scopes });
    window = await stage.newContext({ extraHTTPHeaders: { Authorization: `Bearer ${value}` } });
  });
  afterAll(() => window.close());

  test("is offered no change on any page", async () => {
    const guest = await stage.enter(LOOKS, window);
    const { page } = guest;
    const refused: string[] = [];
    page.on(
      "response",
      (reply) => reply.status() === 403 && refused.push(`${reply.request().method()} ${reply.url()}`),
    );
    const places = [
      ...["home", "start", "insights", "insights/new", `insights/${insight}/edit`, "dashboard", `dashboard/${board}`],
      ...[
        "persons",
        "person/person-1",
        "person/person-1#properties",
        "person/person-1#cohorts",
        "sql",
        "health",
        "data-management/events",
        "data-management/events/bought",
        "data-management/properties?type=person",
        "settings",
      ],
    ];
    for (const place of [...places.map((path) => `/project/1/${path}`), "/account"]) {
      await guest.open(place);
      await page.waitForLoadState("networkidle");
      // A question may be asked in any form; it is kept by none.
      const more = page.locator('main .menu:not([aria-label="Question"] *) > button');
      const names: string[] = [];
      for (const button of await more.all()) {
        await button.click();
        names.push(...(await page.getByRole("menuitem").allTextContents()));
        await guest.presses("Escape");
      }
      for (const button of await page.locator('main button:enabled:not([aria-label="Question"] *)').all()) {
        names.push((await button.getAttribute("aria-label")) ?? (await button.textContent()) ?? "");
      }
      expect([place, names.filter((name) => OFFERED.test(name.trim()))]).toEqual([place, []]);
      await guest.expectFine();
    }
    expect(refused).toEqual([]);
  });
});
