import type { BrowserContext } from "playwright-core";
import type { Weir } from "../../support/weir.ts";
import type { Vocabulary } from "../dataset/vocabulary.ts";
import { trendQuestions } from "../trends/questions.ts";

const TILES = 12;
const COLUMNS = 3;
const WIDTH = 4;
const HEIGHT = 3;
const PASSWORD = "bench bench bench";

/** Logs a window in with the link that the start printed. */
export async function logIn(weir: Weir, context: BrowserContext): Promise<void> {
  const [, token] = /\/setup\/([\w-]{43})/.exec(weir.output) ?? [];
  const data = { password: PASSWORD, email: "bench@example.com", first_name: "Bench" };
  const reply = await context.request.post(`${weir.url}/api/setup/${token}/`, { data });
  if (!reply.ok()) throw new Error(`no login: ${reply.status()} ${await reply.text()}`);
}

async function made<T>(weir: Weir, path: string, body: object, method = "POST"): Promise<T> {
  const response = await weir.api(path, { method, body });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A dashboard of twelve trends that all fit into the window, calculated already; Home shows it. Gives its id. */
export async function makeBoard(weir: Weir, vocabulary: Vocabulary): Promise<number> {
  const questions = Object.values(trendQuestions(vocabulary)).slice(0, TILES);
  const { id } = await made<{ id: number }>(weir, "/dashboards/", { name: "Twelve" });
  for (const [index, { node }] of questions.entries()) {
    const query = { kind: "InsightVizNode", source: node };
    const insight = await made<{ id: number }>(weir, "/insights/", { name: `Trend ${index}`, query, dashboards: [id] });
    const calculated = await weir.api(`/insights/${insight.id}/?refresh=blocking`);
    if (!calculated.ok) throw new Error(`not calculated: ${await calculated.text()}`);
  }
  const { tiles } = await made<{ tiles: { id: number }[] }>(weir, `/dashboards/${id}/`, {}, "PATCH");
  const placed = tiles.map((tile, index) => ({
    id: tile.id,
    layouts: {
      sm: { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
    },
  }));
  await made(weir, `/dashboards/${id}/`, { tiles: placed }, "PATCH");
  await made(weir, "/", { primary_dashboard: id }, "PATCH");
  return id;
}
