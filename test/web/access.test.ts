import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import { Stage } from "./support/stage.ts";
import type { Looks, Visitor } from "./support/visitor.ts";

const LOOKS: Looks = { width: 1440, scheme: "light" };
const NARROW: Looks = { width: 360, scheme: "dark" };
const ACCESS = "/project/1/access";
const KINDS = "/api/environments/1/resource_access_controls/";
const ROLES = "/api/organizations/@current/roles/";

let stage: Stage;
const windows: BrowserContext[] = [];
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
});
afterEach(async () => {
  await Promise.all(windows.splice(0).map((window) => window.close()));
});
afterAll(() => stage[Symbol.asyncDispose]());

async function asked<T>(method: string, path: string, body?: object): Promise<T> {
  const { status, json } = await stage.weir.manage(method, path, body);
  expect([path, status < 300]).toEqual([path, true]);
  return json as T;
}

async function joined(name: string, level: 1 | 8 = 1, looks = LOOKS): Promise<Visitor> {
  const window = await stage.join(name, level);
  windows.push(window);
  return stage.enter(looks, window);
}

interface Control {
  access_level: string;
  resource: string;
  role: string | null;
}

const levels = async (path = KINDS) =>
  (await asked<{ access_controls: Control[] }>("GET", path)).access_controls.map(
    ({ access_level, resource, role }) => `${resource} ${role === null ? "all" : "role"} ${access_level}`,
  );

const level = ({ page }: Visitor, name: string) => page.getByLabel(name, { exact: true });

describe("a role and the levels that are set for it", () => {
  test("count for those that have it, at once, and for nobody else", async () => {
    const query = { kind: "InsightVizNode", source: { kind: "TrendsQuery", series: [{ kind: "EventsNode" }] } };
    await asked("POST", "/api/environments/1/insights/", { name: "Ours", query, saved: true });
    const [grace, kai] = [await joined("Grace"), await joined("Kai", 1, NARROW)];
    const owner = await stage.enter(LOOKS);
    const { page } = owner;
    await owner.open("/project/1/settings");
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Access" }).click();
    await owner.clicks("button", "New role");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Analysts");
    await dialog.getByRole("button", { name: "Make the role" }).click();
    await dialog.getByLabel("Give it to").selectOption("Grace (grace@example.com)");
    await owner.sees(dialog.getByRole("button", { name: "Take the role from Grace" }));
    await owner.expectFine();
    await dialog.getByRole("button", { name: "Close" }).click();
    await owner.sees(page.getByRole("table", { name: "Roles" }).getByRole("row", { name: "Analysts Grace" }));

    await level(owner, "Insights, All members").selectOption("Cannot see");
    await level(owner, "Somebody else").selectOption("Analysts (role)");
    await level(owner, "Insights, Analysts (role)").selectOption("Can look");
    await until("both levels", HANG_MS, async () => (await levels()).length === 2);
    expect((await levels()).sort()).toEqual(["insight all none", "insight role viewer"]);
    await owner.expectFine();

    await Promise.all([grace.open("/project/1/insights"), kai.open("/project/1/insights")]);
    await grace.sees("Ours");
    await kai.sees(kai.page.getByRole("heading", { name: "Insights" }));
    await kai.page.locator("[aria-busy=true]").waitFor({ state: "detached" });
    expect(await kai.page.getByText("Ours").count()).toBe(0);
    await kai.open(ACCESS);
    await kai.sees(kai.page.getByRole("cell", { name: "Cannot see" }));
    expect(await kai.page.getByRole("combobox").count()).toBe(0);
    expect(await kai.page.getByRole("button", { name: /role|Edit|Remove/i }).count()).toBe(0);
    await kai.expectFine();

    await level(owner, "Project, Analysts (role)").selectOption("Admin");
    await until("the admin", HANG_MS, async () => {
      return (await levels("/api/environments/1/access_controls/")).join() === "project role admin";
    });
    await grace.open(ACCESS);
    await grace.sees(level(grace, "Insights, All members"));
    expect(await grace.page.getByRole("button", { name: "New role" }).count()).toBe(0);
    await grace.expectFine();

    await owner.clicks("button", "Delete Analysts");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await owner.sees("There are no roles");
    await level(owner, "Insights, Analysts (role)").waitFor({ state: "detached" });
    expect(await levels()).toEqual(["insight all none"]);
    await level(owner, "Insights, All members").selectOption("Can edit (default)");
    await until("no level", HANG_MS, async () => (await levels()).length === 0);
    await owner.expectFine();
    await owner.leave();
  });

  test("are changed by two admins at once: what the other has deleted is said", async () => {
    const { id } = await asked<{ id: string }>("POST", ROLES, { name: "Writers" });
    const [ida, owner] = [await joined("Ida", 8, NARROW), await stage.enter(LOOKS)];
    await Promise.all([ida.open(ACCESS), owner.open(ACCESS)]);
    await ida.clicks("button", "Edit Writers");
    const dialog = ida.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Authors");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await until("the name", HANG_MS, async () => {
      return (await asked<{ name: string }>("GET", `${ROLES}${id}/`)).name === "Authors";
    });
    await ida.expectFine();
    await owner.clicks("button", "Delete Writers");
    await owner.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await owner.sees("There are no roles");
    await dialog.getByLabel("Give it to").selectOption("Ida (ida@example.com)");
    await dialog.waitFor({ state: "detached" });
    await ida.sees("There are no roles");
    await ida.sees(ida.page.locator(".toast.problem"));
    await Promise.all([ida, owner].map((one) => one.expectFine()));
    await owner.leave();
  });
});

test("a key that is limited to a project is not offered what lies beyond it", async () => {
  const wish = { label: "limited", scopes: ["*"], scoped_teams: [1] };
  const { value } = await asked<{ value: string }>("POST", "/api/personal_api_keys/", wish);
  const window = await stage.newContext({ extraHTTPHeaders: { Authorization: `Bearer ${value}` } });
  windows.push(window);
  const program = await stage.enter(LOOKS, window);
  const heading = (name: string) => program.page.getByRole("heading", { name });
  await program.open("/project/1/settings");
  await program.sees(heading("Test accounts"));
  await program.sees(heading("Delete the project"));
  for (const name of ["Members", "Personal keys"]) expect(await heading(name).count()).toBe(0);
  await program.expectFine();
  await program.open("/account");
  await program.sees(heading("Theme"));
  expect(await heading("Where you are logged in").count()).toBe(0);
  await program.open("/project/1/health");
  await program.sees(heading("Dead letters"));
  expect(await heading("Installation").count()).toBe(0);
  await program.expectFine();
});
