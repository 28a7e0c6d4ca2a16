import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Receiver } from "../alerts/receivers.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { ALERTING } from "../support/weir.ts";
import { Stage } from "./support/stage.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const TREND = { kind: "TrendsQuery", interval: "day", series: [{ kind: "EventsNode", event: "seen" }] };

let stage: Stage;
let insight: { id: number; short_id: string };
beforeAll(async () => {
  stage = await Stage.open({ env: ALERTING });
  await stage.logIn();
  await stage.weir.deliver(Array.from({ length: 4 }, (_, i) => ({ event: "seen", distinct_id: `p${i}` })));
  await stage.weir.waitStored();
  const query = { kind: "InsightVizNode", source: TREND };
  const { json } = await stage.weir.manage("POST", "/api/projects/1/insights/", { name: "Sign-ups", query });
  insight = json;
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("alerts", () => {
  test("are made at their insight, tell a webhook, and are listed with their state", async () => {
    using receiver = new Receiver();
    const visitor = await stage.enter({ width: 1440, scheme: "light" });
    const { page } = visitor;
    await visitor.open(`/project/1/insights/${insight.short_id}`);
    await visitor.clicks("button", "More");
    await visitor.clicks("menuitem", "Alerts");
    await visitor.sees("There is no alert yet");
    await visitor.clicks("button", "New alert");
    await page.getByLabel("Name", { exact: true }).last().fill("Too many");
    await page.getByLabel("More than").fill("3");
    await page.getByLabel("Look at the present interval").check();
    await page.getByLabel("Webhook").fill(receiver.url);
    await visitor.expectFine();
    await visitor.clicks("button", "Save");
    await visitor.sees("The webhook's secret");
    expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toStartWith("whsec_");
    await visitor.clicks("button", "Done");
    await visitor.sees("Too many");
    await visitor.expectFine();
    await until("a message", HANG_MS, () => receiver.got.length > 0);
    expect(JSON.parse(receiver.got[0]!.body)).toMatchObject({ type: "alert.firing", data: { value: 4 } });
    await visitor.open("/project/1/alerts");
    await visitor.sees("Firing");
    await visitor.sees("More than 3");
    await visitor.expectFine();
    await visitor.clicks("button", "More for Too many");
    await visitor.clicks("menuitem", "Snooze for a day");
    await visitor.sees("Snoozed until");
    await visitor.clicks("button", "More for Too many");
    await visitor.clicks("menuitem", "Edit");
    await page.getByLabel("Tell when").selectOption("past_weeks");
    // Somebody else gives it another name meanwhile.
    const { json } = await stage.weir.manage("GET", "/api/projects/1/alerts/");
    const [{ id }] = (json as { results: [{ id: string }] }).results;
    await stage.weir.manage("PATCH", `/api/projects/1/alerts/${id}/`, { name: "Far too many" });
    await visitor.clicks("button", "Save");
    await visitor.sees("Unusual beside 4 past weeks");
    await visitor.sees("Far too many");
    await visitor.leave();
  });

  test("and subscriptions are there on a phone in the dark, and Health counts what waits", async () => {
    const visitor = await stage.enter({ width: 360, scheme: "dark" });
    const { page } = visitor;
    await visitor.open(`/project/1/insights/${insight.short_id}`);
    await visitor.clicks("button", "More");
    await visitor.clicks("menuitem", "Subscriptions");
    await visitor.clicks("button", "New subscription");
    await page.getByLabel("Addresses").fill("ada@example.com");
    await visitor.expectFine();
    await visitor.clicks("button", "Save");
    await visitor.sees("every week");
    await visitor.expectFine();
    await visitor.open("/project/1/alerts");
    await visitor.sees("every week");
    await visitor.expectFine();
    await visitor.clicks("button", "End");
    await visitor.sees("There is no subscription yet");
    using away = new Receiver();
    away.answer = () => new Response(HOSTILE, { status: 500 });
    const { status } = await stage.weir.manage("POST", "/api/projects/1/alerts/", {
      ...{ name: HOSTILE, insight: insight.id, condition: { type: "absolute_value" }, webhook_url: away.url },
      ...{
        threshold: { configuration: { type: "absolute", bounds: { upper: 3 } } },
        calculation_interval: "real_time",
      },
      config: { type: "TrendsAlertConfig", series_index: 0, check_ongoing_interval: true },
    });
    expect(status).toBe(201);
    await until("a failed try", HANG_MS, async () => {
      const { json } = await stage.weir.manage("GET", "/api/projects/1/deliveries/status/");
      return (json as { failing: number }).failing === 1;
    });
    await visitor.open("/project/1/health");
    await visitor.sees(/1 message waits, the oldest/);
    const failure = page.getByRole("list", { name: "Messages that did not arrive" });
    await failure.getByText(HOSTILE).first().click();
    await visitor.sees(failure.getByText(`The receiver answered 500: ${HOSTILE}`));
    await visitor.expectFine();
    await visitor.leave();
  });
});
