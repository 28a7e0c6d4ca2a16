import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Question } from "./support/question.ts";
import { fillShop } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

// Pages of which one part cannot be loaded.

const LOOKS = { width: 1440, scheme: "light" } as const;

let stage: Stage;
let visitor: Visitor;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
  await made("dashboards", { name: "Shop" });
  await made("groups_types", { group_types: ["company"] });
  const date_marker = new Date(Date.now() - 2 * 86_400_000).toISOString();
  await made("annotations", { content: "Launch", date_marker, scope: "project" });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
  visitor.expects(/status of 503 /);
});

async function made(path: string, body: object): Promise<void> {
  const { status } = await stage.weir.manage("POST", `/api/environments/1/${path}/`, body);
  expect([path, status < 300]).toEqual([path, true]);
}

const drawn = () => new Question(visitor).drawn("canvas");
const property = async () => {
  const { json } = await stage.weir.manage("GET", "/api/environments/1/property_definitions/?search=plan");
  return (json as { results: { id: string }[] }).results[0]!.id;
};

interface Part {
  api: RegExp;
  path(): string | Promise<string>;
  /** Leads to the part. */
  open?(): Promise<unknown>;
  says: string;
  /** What is there once it is loaded. */
  has: string;
}

const TYPES = { api: /\/groups_types\//, says: "The types of groups cannot be loaded." };
const picker = (name: string) => visitor.page.getByRole("button", { name }).first().click();
const parts: Record<string, Part> = {
  "the annotations of a chart": {
    api: /\/annotations\//,
    path: () => "insights/new",
    open: drawn,
    says: "The annotations cannot be loaded.",
    has: ".chart-note-mark",
  },
  "the choices of the activity log": {
    api: /\/available_filters\//,
    path: () => "activity-logs",
    says: "The choices cannot be loaded.",
    has: "option:has-text('Dashboard')",
  },
  "the dashboards that Home can show": {
    api: /\/dashboards\//,
    path: () => "settings",
    open: () => picker("Home shows"),
    says: "The dashboards cannot be loaded.",
    has: ".listbox-option:has-text('Shop')",
  },
  "the values of a property": {
    api: /\/events\/values\//,
    path: async () => `data-management/properties/${await property()}`,
    says: "The values cannot be loaded.",
    has: ".activity-value:text-is('business')",
  },
  "the types of groups beside persons": { ...TYPES, path: () => "persons", has: "a:text-is('Companies')" },
  "the types of groups beside names": {
    ...TYPES,
    path: () => "data-management/events",
    has: "a:text-is('Company properties')",
  },
  "the types of groups in a picker": {
    ...TYPES,
    path: () => "insights/new",
    open: async () => {
      await drawn();
      await picker("Breakdown");
    },
    has: ".listbox-option",
  },
};

test.each(Object.entries(parts))("say what is missing, and let one try again: %s", async (_, part) => {
  const { page } = visitor;
  await page.route(part.api, (route) => route.fulfill({ status: 503, body: "{}" }));
  await visitor.open(`/project/1/${await part.path()}`);
  await part.open?.();
  const problem = page.getByRole("alert").filter({ hasText: part.says });
  await visitor.sees(problem);
  await visitor.expectFine();
  await page.unroute(part.api);
  await problem.getByRole("button", { name: "Try again" }).first().click();
  await page.locator(part.has).first().waitFor({ state: "attached" });
  await problem.first().waitFor({ state: "detached" });
  expect(visitor.complaints).toEqual([]);
});

test.each([
  ["cohorts/abc", "cohort", "cohorts"],
  ["data-management/actions/99", "action", "data-management/actions"],
  ["data-management/events/none", "event", "data-management/events"],
  ["data-management/properties/none", "property", "data-management/properties"],
])("a record that is not there is said not to be: %s", async (path, noun, list) => {
  await visitor.open(`/project/1/${path}`);
  await visitor.sees(visitor.page.getByRole("heading", { level: 1, name: `There is no such ${noun}` }));
  await visitor.expectFine();
  await visitor.clicks("link", "See all");
  await visitor.page.waitForURL(`**/project/1/${list}`);
});
