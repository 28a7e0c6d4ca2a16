import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import { PASSWORD, Stage } from "./support/stage.ts";
import type { Looks, Visitor } from "./support/visitor.ts";

const LOOKS: Looks = { width: 1440, scheme: "light" };
const NARROW: Looks = { width: 360, scheme: "dark" };

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

type Body = Record<string, unknown> & { results: Record<string, unknown>[] };

async function asked(method: string, path: string, body?: object): Promise<Body> {
  const { status, json } = await stage.weir.manage(method, path, body);
  expect([path, status < 300]).toEqual([path, true]);
  return json as Body;
}

async function joined(name: string, level: 1 | 8 | 15 = 1, looks = LOOKS): Promise<Visitor> {
  const window = await stage.join(name, level);
  windows.push(window);
  return stage.enter(looks, window);
}

const SETTINGS = "/project/1/settings";
const membersOf = ({ page }: Visitor) => page.getByRole("table", { name: "Members" });
const rowOf = (visitor: Visitor, name: string) => membersOf(visitor).getByRole("row", { name });
const MEMBERS = "/api/organizations/@current/members/?limit=1000";

describe("an invitation", () => {
  test.each([LOOKS, NARROW])("makes a member of its holder ($width px)", async (looks) => {
    const owner = await stage.enter(looks);
    const email = `grace${looks.width}@example.com`;
    await owner.open(SETTINGS);
    await owner.clicks("button", "Invite");
    const dialog = owner.page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill(email);
    await dialog.getByText("Admin", { exact: true }).click();
    await owner.expectFine();
    await dialog.getByRole("button", { name: "Make the link" }).click();
    const url = await dialog.getByLabel("Link").inputValue();
    await owner.expectFine();
    await dialog.getByRole("button", { name: "Done" }).click();
    await owner.sees(owner.page.getByRole("table", { name: "Invitations" }).getByText(email));
    await owner.expectFine();

    const window = await stage.newContext();
    windows.push(window);
    const grace = await stage.enter(looks, window);
    await grace.open(new URL(url).pathname);
    await grace.sees(email);
    await grace.page.getByLabel("First name").fill("Grace");
    await grace.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await grace.expectFine();
    await grace.clicks("button", "Join");
    await grace.page.waitForURL(/\/project\/1\//);
    await grace.open(SETTINGS);
    await grace.sees(rowOf(grace, email).getByText("you"));
    await grace.expectFine();
    expect((await asked("GET", MEMBERS)).results).toContainEqual(
      expect.objectContaining({ level: 8, user: expect.objectContaining({ email, first_name: "Grace" }) }),
    );

    grace.expects(/status of 404 /);
    await grace.open(new URL(url).pathname);
    await grace.sees("This invitation does not work any more");
    await grace.expectFine();
    await owner.leave();
  });

  test("can be taken back", async () => {
    const { url } = await asked("POST", "/api/organizations/@current/invites/", { target_email: "back@example.com" });
    const owner = await stage.enter(LOOKS);
    await owner.open(SETTINGS);
    await owner.clicks("button", "Take back the invitation of back@example.com");
    await owner.sees("The invitation of back@example.com has ended");
    await owner.expectFine();
    await owner.open(new URL(String(url)).pathname);
    await owner.sees("This invitation does not work any more");
    await owner.leave();
  });
});

describe("the list of members", () => {
  test("lets admins change levels up to their own, and members nothing", async () => {
    const lin = await joined("Lin");
    const kai = await joined("Kai", 8);
    await lin.open(SETTINGS);
    await lin.sees(rowOf(lin, "kai@example.com"));
    expect(await membersOf(lin).getByRole("combobox").count()).toBe(0);
    expect(await lin.page.getByRole("button", { name: "Invite", exact: true }).count()).toBe(0);
    await lin.expectFine();
    await kai.open(SETTINGS);
    const level = kai.page.getByLabel("Level of Lin");
    await kai.sees(level);
    expect(await level.locator("option").allTextContents()).toEqual(["Member", "Admin"]);
    expect(await rowOf(kai, "ada@example.com").getByRole("combobox").count()).toBe(0);
    await level.selectOption("Admin");
    await kai.sees("Changed the level of Lin");
    await kai.expectFine();
    await lin.open(SETTINGS);
    await lin.sees(lin.page.getByRole("button", { name: "Invite", exact: true }));
    await lin.expectFine();
  });

  test("removes a member, whose open page ends at the login", async () => {
    const max = await joined("Max");
    await max.open(SETTINGS);
    await max.sees(rowOf(max, "max@example.com"));
    const owner = await stage.enter(LOOKS);
    await owner.open(SETTINGS);
    await owner.clicks("button", "Remove Max");
    await owner.expectFine();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await rowOf(owner, "max@example.com").waitFor({ state: "detached" });
    await owner.expectFine();
    await max.clicks("link", "Dashboards");
    await max.page.waitForURL(/\/login\?next=/);
    expect(max.complaints).toEqual([]);
    await owner.leave();
  });

  test("lets everyone leave but the last owner", async () => {
    const uma = await joined("Uma");
    await uma.open(SETTINGS);
    await uma.clicks("button", "Leave");
    await uma.page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await uma.page.waitForURL(/\/login/);
    await uma.expectFine();
    const owner = await stage.enter(LOOKS);
    owner.expects(/status of 400 /);
    await owner.open(SETTINGS);
    await owner.clicks("button", "Leave");
    await owner.page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await owner.sees("The last owner stays: make another member an owner first.");
    await owner.expectFine();
    await owner.leave();
  });
});

const QUERY = {
  kind: "InsightVizNode",
  source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "bought" }] },
};

describe("who may see or edit", () => {
  test.each([LOOKS, NARROW])("an insight ($width px)", async (looks) => {
    const [ida, oto] = [await joined(`Ida${looks.width}`), await joined(`Oto${looks.width}`)];
    const made = await asked("POST", "/api/environments/1/insights/", { name: "Ours", query: QUERY, saved: true });
    const address = `/project/1/insights/${made.short_id}`;
    const owner = await stage.enter(looks);
    await owner.open(address);
    await owner.page.getByRole("button", { name: "More", exact: true }).click();
    await owner.clicks("menuitem", "Who may see or edit");
    const dialog = owner.page.getByRole("dialog");
    await dialog.getByLabel("All members").selectOption("Cannot see it");
    const ida1 = `Ida${looks.width} (ida${looks.width}@example.com)`;
    await dialog.getByLabel("Somebody else").selectOption(ida1);
    await dialog.getByLabel(ida1, { exact: true }).selectOption("Can edit");
    const control = `/api/environments/1/insights/${made.id}/access_controls/`;
    await until("both levels", HANG_MS, async () => {
      const { access_controls } = (await asked("GET", control)) as unknown as {
        access_controls: { access_level: string }[];
      };
      return (
        access_controls
          .map((one) => one.access_level)
          .sort()
          .join() === "editor,none"
      );
    });
    await owner.expectFine();
    await ida.open(address);
    await ida.sees(ida.page.getByRole("button", { name: "Edit", exact: true }));
    await ida.page.getByRole("button", { name: "More", exact: true }).click();
    expect(await ida.page.getByRole("menuitem", { name: "Who may see or edit" }).count()).toBe(0);
    await oto.open("/project/1/insights");
    await oto.sees(oto.page.getByRole("heading", { name: "Insights" }));
    await oto.open(address);
    await oto.sees(oto.page.getByRole("heading", { name: "There is no such insight", level: 1 }));
    expect(await oto.page.getByText("Ours").count()).toBe(0);
    await dialog.getByRole("button", { name: `Take ${ida1} off the list` }).click();
    await dialog.getByLabel(ida1, { exact: true }).waitFor({ state: "detached" });
    await owner.expectFine();
    await owner.leave();
  });

  test("a dashboard", async () => {
    const pia = await joined("Pia");
    const { id } = await asked("POST", "/api/environments/1/dashboards/", { name: "Board" });
    const owner = await stage.enter(LOOKS);
    await owner.open(`/project/1/dashboard/${id}`);
    await owner.page.getByRole("button", { name: "More", exact: true }).click();
    await owner.clicks("menuitem", "Who may see or edit");
    await owner.page.getByRole("dialog").getByLabel("All members").selectOption("Can look");
    await until("the level", HANG_MS, async () => {
      const { status } = await stage.weir.manage("GET", `/api/environments/1/dashboards/${id}/access_controls/`);
      const { json } = await stage.weir.manage("GET", `/api/environments/1/dashboards/${id}/access_controls/`);
      return status === 200 && JSON.stringify(json).includes('"access_level":"viewer"');
    });
    await owner.expectFine();
    await pia.open(`/project/1/dashboard/${id}`);
    await pia.sees(pia.page.getByRole("heading", { name: "Board" }));
    expect(await pia.page.getByRole("button", { name: "Edit layout" }).count()).toBe(0);
    await pia.expectFine();
    await owner.leave();
  });
});

describe("two members of different rights at once", () => {
  test("change the same insight: the editor's change stays, the viewer's is refused, and each page says so", async () => {
    const [eve, vic] = [await joined("Eve"), await joined("Vic")];
    const insights = "/api/environments/1/insights/";
    const made = await asked("POST", insights, { name: "Start", query: QUERY, saved: true });
    const [first, second] = await Promise.all(
      ["eve", "vic"].map(async (name) => {
        const { results } = await asked("GET", MEMBERS);
        return results.find(({ user }) => (user as { email: string }).email === `${name}@example.com`)!.id;
      }),
    );
    const control = `${insights}${made.id}/access_controls/`;
    await asked("PUT", control, { access_level: "viewer" });
    await asked("PUT", control, { access_level: "editor", organization_member: first });
    await asked("PUT", control, { access_level: "editor", organization_member: second });
    const address = `/project/1/insights/${made.short_id}`;
    await Promise.all([eve.open(address), vic.open(address)]);
    const nameOf = ({ page }: Visitor) => page.getByRole("textbox", { name: "Name" });
    await Promise.all([eve, vic].map((one) => one.sees(nameOf(one))));
    // The right of one ends while both pages are open.
    await asked("PUT", control, { access_level: null, organization_member: second });
    vic.expects(/status of 403 /);
    const answers = Promise.all(
      [eve, vic].map(({ page }) =>
        page.waitForResponse(
          (response) => response.request().method() === "PATCH" && response.url().includes(insights),
        ),
      ),
    );
    await Promise.all(
      [eve, vic].map(async (one, i) => {
        await nameOf(one).fill(["By Eve", "By Vic"][i]!);
        await one.presses("Enter");
      }),
    );
    expect((await answers).map((response) => response.status())).toEqual([200, 403]);
    await vic.sees("You don't have edit permissions for this insight.");
    expect(await asked("GET", `${insights}${made.id}/`)).toMatchObject({ name: "By Eve" });
    await Promise.all([eve.open(address), vic.open(address)]);
    for (const one of [eve, vic]) {
      await until("the name", HANG_MS, async () => (await nameOf(one).inputValue()) === "By Eve");
    }
    expect(await nameOf(vic).getAttribute("readonly")).not.toBeNull();
    await Promise.all([eve, vic].map((one) => one.expectFine()));
  });
});
