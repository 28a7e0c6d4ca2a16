/** `scripts/docs --images`: pictures of the pages for README and docs, of a demo project that is the same each time. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../test/support/processes.ts";
import { ALERTING } from "../../test/support/weir.ts";
import { Question } from "../../test/web/support/question.ts";
import { Stage } from "../../test/web/support/stage.ts";
import type { Looks, Visitor } from "../../test/web/support/visitor.ts";

const FOLDER = new URL("../../docs/images", import.meta.url).pathname;
const DEMO_MS = 120_000;
const QUALITY = 90;
const WIDE = 1280;
const NARROW = 360;
const HEIGHT = 800;
/** What is written for the picture of SQL. */
const SQL = `SELECT properties.plan AS plan, count() AS upgrades, round(avg(properties.amount), 2) AS average
FROM events
WHERE event = 'plan upgraded' AND timestamp > now() - INTERVAL 90 DAY
GROUP BY plan
ORDER BY upgrades DESC`;

interface Place {
  stage: Stage;
  projectId: number;
  dashboardId: number;
  cohortId: number;
  /** Addresses of the demo's insights by their names. */
  insights: ReadonlyMap<string, string>;
}

/** What is in a picture: how to get there. */
interface Picture {
  looks: Looks;
  go(visitor: Visitor, place: Place): Promise<void>;
}

const light = { width: WIDE, scheme: "light" } as const;
const dark = { width: WIDE, scheme: "dark" } as const;

const PICTURES: Record<string, Picture> = {
  dashboard: { looks: light, go: openBoard },
  "dashboard-dark": { looks: dark, go: openBoard },
  "dashboard-phone": { looks: { width: NARROW, scheme: "light" }, go: openBoard },
  funnel: { looks: light, go: (visitor, place) => openInsight(visitor, place, "From a visit to the first note") },
  people: {
    looks: dark,
    async go(visitor, place) {
      await openInsight(visitor, place, "From a visit to the first note");
      const question = new Question(visitor);
      await (await question.drawn("[data-at]")).locator("[data-at]").nth(1).click();
      await question.people();
    },
  },
  sql: {
    looks: light,
    async go(visitor, { projectId }) {
      await visitor.open(`/project/${projectId}/sql`);
      const editor = visitor.page.getByRole("textbox", { name: "SQL" });
      await editor.click();
      await visitor.presses("ControlOrMeta+A");
      await visitor.page.keyboard.insertText(SQL);
      await visitor.presses("ControlOrMeta+Enter");
      await visitor.page.locator(".sql-results[aria-busy=false]").waitFor();
      await visitor.presses("Escape");
    },
  },
  events: {
    looks: dark,
    async go(visitor, { projectId, stage }) {
      await visitor.open(`/project/${projectId}/events`);
      await visitor.page.getByRole("row").nth(3).waitFor();
      await sendVisits(stage);
      await visitor.sees("first-visitor");
    },
  },
  cohort: {
    looks: light,
    async go(visitor, { projectId, cohortId }) {
      await visitor.open(`/project/${projectId}/cohorts/${cohortId}`);
      await visitor.sees(/of [\d,]+ persons/);
      await visitor.page.getByRole("table").getByRole("link").nth(3).waitFor();
      await visitor.page.waitForLoadState("networkidle");
    },
  },
  alerts: {
    looks: light,
    async go(visitor, { projectId }) {
      await visitor.open(`/project/${projectId}/alerts`);
      await visitor.sees("Firing");
    },
  },
  person: {
    looks: light,
    async go(visitor, { projectId }) {
      // One that has signed up, and so done several things.
      await visitor.open(`/project/${projectId}/persons?search=company`);
      await visitor.page.getByRole("table").getByRole("link").first().click();
      await visitor.page.getByRole("main").getByText("signed up").waitFor();
      await visitor.page.waitForLoadState("networkidle");
    },
  },
  names: {
    looks: dark,
    go: (visitor, { projectId }) => openList(visitor, `/project/${projectId}/data-management/events`),
  },
  health: {
    looks: light,
    async go(visitor, { projectId, stage }) {
      // A minute's figures are there when it is over, and a bar is the difference of two.
      const minutes = () => countMinutes(stage);
      await until("figures of a minute", DEMO_MS, async () => (await minutes()) > 0);
      for (let times = 0; times < 25; times++) await sendVisits(stage);
      const before = await minutes();
      await until("those of the next one", DEMO_MS, async () => (await minutes()) > before);
      await visitor.open(`/project/${projectId}/health`);
      await visitor.page.locator(".health canvas").first().waitFor();
      await visitor.page.waitForLoadState("networkidle");
    },
  },
  palette: {
    looks: light,
    async go(visitor, place) {
      await openBoard(visitor, place);
      await visitor.presses("Control+k");
      await visitor.page.getByRole("combobox").fill("visit");
      await visitor.page
        .getByRole("option", { name: /visitor-/ })
        .first()
        .waitFor();
    },
  },
  retention: { looks: light, go: (visitor, place) => openInsight(visitor, place, "Who keeps writing") },
};

async function openBoard(visitor: Visitor, { projectId, dashboardId }: Place): Promise<void> {
  await visitor.open(`/project/${projectId}/dashboard/${dashboardId}`);
  await visitor.page.getByRole("article").locator(".insight-chart").first().waitFor();
  await visitor.page.waitForLoadState("networkidle");
}

async function openList(visitor: Visitor, path: string): Promise<void> {
  await visitor.open(path);
  await visitor.page.getByRole("table").locator("tbody tr").nth(2).waitFor();
  await visitor.page.waitForLoadState("networkidle");
}

async function openInsight(visitor: Visitor, place: Place, name: string): Promise<void> {
  const address = place.insights.get(name);
  if (address === undefined) throw new Error(`the demo has no insight "${name}"`);
  await visitor.open(`${address}/edit`);
  await new Question(visitor).drawn();
}

/** What comes while the picture of events is made. */
const sendVisits = ({ weir }: Stage): Promise<number> =>
  weir.deliver(
    ["first-visitor", "ben", "chidi", "dana"].flatMap((visitor) => [
      { event: "$pageview", distinct_id: visitor, properties: { $current_url: "https://lantern.example/pricing" } },
      { event: "signed up", distinct_id: visitor, properties: { plan: "free" } },
    ]),
  );

/** Of how many minutes there are figures. */
async function countMinutes({ weir }: Stage): Promise<number> {
  const { json } = await weir.manage("GET", `/api/environments/${weir.environmentId}/ingestion_history/?steps=60`);
  return (json as { accepted: (number | null)[] }).accepted.filter((value) => value !== null).length;
}

/** Adds a cohort, an alert that has found something, and a subscription. Gives the id of the cohort. */
async function addRecords({ weir }: Stage, path: string, insightId: number, dashboardId: number): Promise<number> {
  const add = async (name: string, body: object) => {
    const { status, json } = await weir.manage("POST", `${path}/${name}/`, body);
    if (status !== 201) throw new Error(`${name}: ${status} ${JSON.stringify(json)}`);
    return json as { id: number };
  };
  const wrote = { type: "behavioral", value: "performed_event_multiple", key: "note created", event_type: "events" };
  const often = { ...wrote, operator: "gte", operator_value: 5, explicit_datetime: "-30d" };
  const paying = { type: "person", key: "plan", operator: "is_not", value: ["free"] };
  const cohort = await add("cohorts", {
    name: "Busy writers",
    description: "Whom to ask about the next version",
    filters: { properties: { type: "AND", values: [often, paying] } },
  });
  await add("alerts", {
    ...{ name: "Few sign-ups", insight: insightId, calculation_interval: "hourly", subscribed_users: [1] },
    ...{
      condition: { type: "absolute_value" },
      threshold: { configuration: { type: "absolute", bounds: { lower: 60 } } },
    },
  });
  await add("subscriptions", {
    ...{ title: "Monday figures", dashboard: dashboardId, target_type: "email", target_value: "team@lantern.example" },
    ...{ frequency: "weekly", byweekday: ["monday"], start_date: "2026-01-05T09:00:00Z" },
  });
  return cohort.id;
}

async function makeDemo(stage: Stage): Promise<Place> {
  const { weir } = stage;
  const { json: demo } = await weir.manage("POST", "/api/projects/demo/");
  const made = demo as { id: number; api_token: string; primary_dashboard: number };
  const path = `/api/environments/${made.id}`;
  await until("the demo", DEMO_MS, async () => {
    const { json } = await weir.manage("GET", `${path}/is_generating_demo_data/`);
    return !(json as { is_generating_demo_data: boolean }).is_generating_demo_data;
  });
  weir.environmentId = made.id;
  weir.projectKey = made.api_token;
  await weir.waitStored();
  const { json } = await weir.manage("GET", `${path}/insights/?limit=100`);
  const { results } = json as { results: { id: number; name: string; short_id: string }[] };
  const insights = new Map(results.map(({ name, short_id }) => [name, `/project/${made.id}/insights/${short_id}`]));
  const watched = results.find(({ name }) => name === "Sign-ups a week")!.id;
  const cohortId = await addRecords(stage, path, watched, made.primary_dashboard);
  return { stage, projectId: made.id, dashboardId: made.primary_dashboard, cohortId, insights };
}

/** Writes docs/images anew. */
export async function writeImages(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await using stage = await Stage.open({ env: ALERTING });
  await stage.logIn();
  const place = await makeDemo(stage);
  for (const [name, { looks, go }] of Object.entries(PICTURES)) {
    const visitor = await stage.enter(looks);
    await visitor.page.setViewportSize({ width: looks.width, height: HEIGHT });
    await go(visitor, place);
    // Nothing is pointed at.
    await visitor.page.mouse.move(0, 0);
    const session = await stage.context.newCDPSession(visitor.page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
    const bytes = Buffer.from(data, "base64");
    writeFileSync(join(FOLDER, `${name}.webp`), bytes);
    console.log(`wrote docs/images/${name}.webp: ${bytes.length} bytes`);
    await visitor.leave();
  }
}
