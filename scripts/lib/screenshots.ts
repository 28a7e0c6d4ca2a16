/** `scripts/docs --images`: pictures of the pages for README and docs, of a demo project that is the same each time. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../test/support/processes.ts";
import { Question } from "../../test/web/support/question.ts";
import { Stage } from "../../test/web/support/stage.ts";
import type { Looks, Visitor } from "../../test/web/support/visitor.ts";

const FOLDER = new URL("../../docs/images", import.meta.url).pathname;
const DEMO_MS = 120_000;
const QUALITY = 90;
const WIDE = 1280;
const NARROW = 360;
const HEIGHT = 800;

interface Place {
  projectId: number;
  dashboardId: number;
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
  person: {
    looks: light,
    async go(visitor, { projectId }) {
      await visitor.open(`/project/${projectId}/persons`);
      await visitor.page.getByRole("table").getByRole("link").first().click();
      await visitor.page.getByRole("main").getByRole("button").first().waitFor();
      await visitor.page.waitForLoadState("networkidle");
    },
  },
  names: {
    looks: dark,
    go: (visitor, { projectId }) => openList(visitor, `/project/${projectId}/data-management/events`),
  },
  health: {
    looks: light,
    async go(visitor, { projectId }) {
      await visitor.open(`/project/${projectId}/health`);
      await visitor.page.locator("canvas, svg").first().waitFor();
      await visitor.page.waitForLoadState("networkidle");
    },
  },
  palette: {
    looks: light,
    async go(visitor, place) {
      await openBoard(visitor, place);
      await visitor.presses("Control+k");
      await visitor.page.getByRole("combobox").fill("visit");
      await visitor.page.getByRole("option").first().waitFor();
      await visitor.page.waitForLoadState("networkidle");
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

async function makeDemo({ weir }: Stage): Promise<Place> {
  const made = (await weir.manage("POST", "/api/projects/demo/")).json as { id: number; primary_dashboard: number };
  const path = `/api/environments/${made.id}`;
  await until("the demo", DEMO_MS, async () => {
    const { json } = await weir.manage("GET", `${path}/is_generating_demo_data/`);
    return !(json as { is_generating_demo_data: boolean }).is_generating_demo_data;
  });
  weir.environmentId = made.id;
  await weir.waitStored();
  const { json } = await weir.manage("GET", `${path}/insights/?limit=100`);
  const { results } = json as { results: { name: string; short_id: string }[] };
  const insights = new Map(results.map(({ name, short_id }) => [name, `/project/${made.id}/insights/${short_id}`]));
  return { projectId: made.id, dashboardId: made.primary_dashboard, insights };
}

/** Writes docs/images anew. */
export async function writeImages(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await using stage = await Stage.open();
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
