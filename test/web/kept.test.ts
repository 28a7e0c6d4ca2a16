import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { Question } from "./support/question.ts";
import { fillShop } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

// What somebody wrote or changed stays, whatever fails, is slow, or is saved by others meanwhile.

const LOOKS = { width: 1440, scheme: "light" } as const;
const INSIGHT = /\/insights\/\d+\/(?:\?.*)?$/;
const INSIGHTS = /\/insights\/(?:\?.*)?$/;
const BOARD = /\/dashboards\/\d+\/(?:\?.*)?$/;

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
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
  visitor.expects(/status of 500 |net::ERR_/);
  question = new Question(visitor);
});

interface Saved {
  id: number;
  short_id: string;
  name: string;
  description: string;
  query: { source: { kind: string; series: { event: string }[] } };
}

async function ask(method: string, path: string, body?: object): Promise<Saved> {
  const { status, json } = await stage.weir.manage(method, `/api/environments/1/${path}`, body);
  expect(status).toBeLessThan(300);
  return json as Saved;
}

const trendOf = (event: string) => ({
  kind: "InsightVizNode",
  source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event }] },
});

const nameField = () => visitor.page.getByRole("textbox", { name: "Name", exact: true });
const refuse = (path: RegExp) =>
  visitor.page.route(path, (route) =>
    route.request().method() === "PATCH" ? route.fulfill({ status: 500, body: "null" }) : route.fallback(),
  );

/** Keeps the next request of a method waiting. Gives when it was sent, and a way to let it go on. */
async function hold(path: RegExp, method: string): Promise<{ sent: Promise<void>; release(): void }> {
  const sent = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await visitor.page.route(path, async (route) => {
    if (route.request().method() === method) {
      sent.resolve();
      await released.promise;
    }
    await route.fallback();
  });
  return { sent: sent.promise, release: released.resolve };
}

describe("an insight", () => {
  let insight: Saved;
  beforeEach(async () => {
    insight = await ask("POST", "insights/", { name: "Views", query: trendOf("$pageview") });
    await visitor.open(`/project/1/insights/${insight.short_id}/edit`);
    await question.drawn();
  });

  test("whose name is changed here has the question that others saved meanwhile", async () => {
    await ask("PATCH", `insights/${insight.id}/`, { query: trendOf("bought") });
    await nameField().fill("Sales");
    await nameField().press("Enter");
    await visitor.sees(question.form.getByText("bought"));
    expect(await visitor.page.getByText("Unsaved changes.").count()).toBe(0);
    const { name, query } = await ask("GET", `insights/${insight.id}/`);
    expect([name, query.source.series[0]!.event, visitor.complaints]).toEqual(["Sales", "bought", []]);
  });

  test("keeps a name and a description that could not be saved, and saves them with the next try", async () => {
    const { page } = visitor;
    await refuse(INSIGHT);
    await nameField().fill("Looks");
    await nameField().press("Enter");
    await visitor.sees(/Saving failed/);
    await visitor.clicks("button", "Description and tags");
    const description = page.getByRole("textbox", { name: "Description" });
    await description.fill("How often pages are looked at.");
    await description.blur();
    await page
      .getByText(/Saving failed/)
      .nth(1)
      .waitFor();
    const texts = [await nameField().inputValue(), await description.inputValue()];
    expect(texts).toEqual(["Looks", "How often pages are looked at."]);
    await page.unroute(INSIGHT);
    await page.getByRole("button", { name: "Try again" }).last().click();
    await until("both are saved", HANG_MS, async () => {
      const { name, description: said } = await ask("GET", `insights/${insight.id}/`);
      return name === texts[0] && said === texts[1];
    });
    expect(visitor.complaints).toEqual([]);
  });

  test("that is changed while it is saved has that change after a reload, too", async () => {
    const { page } = visitor;
    await question.kind("Lifecycle");
    const { sent, release } = await hold(INSIGHT, "PATCH");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await sent;
    await question.kind("Stickiness");
    release();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.reload();
    await page.getByRole("radio", { name: "Stickiness", checked: true }).waitFor({ state: "attached" });
    await visitor.sees("Unsaved changes.");
    expect((await ask("GET", `insights/${insight.id}/`)).query.source.kind).toBe("LifecycleQuery");
    expect(visitor.complaints).toEqual([]);
  });
});

test("a new insight that is changed and named while it is saved is one, with the name and the change", async () => {
  const { page } = visitor;
  await visitor.open("/project/1/insights/new");
  await question.drawn();
  const { sent, release } = await hold(INSIGHTS, "POST");
  await visitor.clicks("button", "Add to dashboard");
  await sent;
  await visitor.clicks("button", "Add to dashboard");
  await question.kind("Stickiness");
  await nameField().fill("Typed meanwhile");
  await nameField().press("Enter");
  release();
  await page.getByRole("dialog", { name: "Add to dashboards" }).waitFor();
  const named = async () => {
    const { json } = await stage.weir.manage("GET", "/api/environments/1/insights/?search=meanwhile");
    return (json as { count: number }).count === 1;
  };
  await until("it has its name", HANG_MS, named);
  await page.reload();
  await page.getByRole("radio", { name: "Stickiness", checked: true }).waitFor({ state: "attached" });
  expect(await nameField().inputValue()).toBe("Typed meanwhile");
  const { json } = await stage.weir.manage("GET", "/api/environments/1/insights/?order=-created_at");
  const names = (json as { results: Saved[] }).results.map(({ name }) => name);
  expect([names.slice(0, 2), visitor.complaints]).toEqual([["Typed meanwhile", "Views"], []]);
});

describe("a dashboard", () => {
  let board: number;
  const menu = async (of: string, item: string) => {
    await visitor.page.getByRole("button", { name: of, exact: true }).click();
    await visitor.page.getByRole("menuitem", { name: item }).click();
  };
  beforeEach(async () => {
    board = (await ask("POST", "dashboards/", { name: "Shop" })).id;
    await ask("POST", "insights/", { name: "On it", query: trendOf("bought"), dashboards: [board] });
    await visitor.open(`/project/1/dashboard/${board}`);
    await visitor.page.getByRole("article").locator("canvas").waitFor();
  });

  test("that is renamed keeps the description that others wrote meanwhile", async () => {
    await ask("PATCH", `dashboards/${board}/`, { description: "By another" });
    await menu("More", "Name and description");
    await nameField().fill("The shop");
    await nameField().press("Enter");
    await visitor.page.getByRole("dialog").waitFor({ state: "detached" });
    const { name, description } = await ask("GET", `dashboards/${board}/`);
    expect([name, description, visitor.complaints]).toEqual(["The shop", "By another", []]);
  });

  test("says in the window in which it is renamed that it could not be, and keeps the name there", async () => {
    const { page } = visitor;
    await menu("More", "Name and description");
    await nameField().fill("The shop");
    await refuse(BOARD);
    await nameField().press("Enter");
    await visitor.sees(page.getByRole("dialog").getByText("The answer was 500."));
    expect(await nameField().inputValue()).toBe("The shop");
    await page.unroute(BOARD);
    await nameField().press("Enter");
    await page.getByRole("heading", { name: "The shop" }).waitFor();
    await visitor.expectFine();
  });

  test("says that a tile was moved only where it was", async () => {
    const { page } = visitor;
    await ask("POST", "dashboards/", { name: "Elsewhere" });
    await refuse(BOARD);
    await menu("More for On it", "Move to another dashboard");
    await page.getByRole("dialog").getByText("Elsewhere").click();
    await visitor.sees("Not saved: The answer was 500.");
    expect([await page.getByText(/^Moved to/).count(), await page.getByRole("article").count()]).toEqual([0, 1]);
  });

  test("says that a tile could not be brought back", async () => {
    await menu("More for On it", "Remove");
    await visitor.sees("Removed from the dashboard");
    await refuse(BOARD);
    await visitor.clicks("button", "Undo");
    await visitor.sees("The answer was 500.");
    expect(visitor.complaints).toEqual([]);
  });

  test("has a text that was written when the session ended, until it is saved or taken back", async () => {
    const { page } = visitor;
    visitor.expects(/status of 40[13] /);
    const dialog = (title: string) => page.getByRole("dialog", { name: title });
    const text = page.getByRole("dialog").getByLabel("Text", { exact: true });
    const add = async () => {
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("menuitem", { name: "Text" }).click();
    };
    await add();
    await text.fill("Words that took a while");
    await visitor.expectFine();
    await stage.context.clearCookies({ name: "weir_session" });
    await dialog("Add text").getByRole("button", { name: "Add", exact: true }).click();
    await page.waitForURL(/\/login/);
    await stage.logIn();
    await visitor.open(`/project/1/dashboard/${board}`);
    await add();
    expect(await text.inputValue()).toBe("Words that took a while");
    await dialog("Add text").getByRole("button", { name: "Add", exact: true }).click();
    const more = "More for text “Words that took a while”";
    await menu(more, "Edit");
    await text.fill("Other words");
    await page.reload();
    await menu(more, "Edit");
    expect(await text.inputValue()).toBe("Other words");
    await visitor.clicks("button", "Discard changes");
    expect(await text.inputValue()).toBe("Words that took a while");
    await visitor.presses("Escape");
    await add();
    expect([await text.inputValue(), visitor.complaints]).toEqual(["", []]);
  });

  test("lets a text be selected beyond the window in which it is written", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: "Text" }).click();
    const text = page.getByRole("dialog").getByLabel("Text", { exact: true });
    await text.fill("Words that took a while");
    const { x, y } = (await text.boundingBox())!;
    await page.mouse.move(x + 100, y + 15);
    await page.mouse.down();
    await page.mouse.move(5, y + 15, { steps: 3 });
    await page.mouse.up();
    expect(await text.inputValue()).toBe("Words that took a while");
    await page.mouse.click(5, y + 15);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});
