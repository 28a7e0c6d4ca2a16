import { call } from "../../api/client.ts";
import type { Insight, OpenedDashboard, OpenedInsight } from "../../api/schema.ts";
import { readNode } from "../../kinds/readNode.ts";
import type { Asked } from "../parts/board/answer.ts";
import { answerIn } from "../parts/board/types.ts";

export type Opened = OpenedDashboard | OpenedInsight;

/** Those of the viewer, where the owner lets them choose; null: as the insight has them. */
export interface Dates {
  date_from: string | null;
  date_to: string | null;
}

/** What a link opens. Of a dashboard nothing is answered yet. Throws ApiError 404 for a link that opens nothing. */
export function loadShared(token: string): Promise<Opened> {
  return call("GET /shared/{token}/", { params: { token }, query: { format: "json" } });
}

/** The answer to an insight of a link, under the dates of the viewer. */
export async function askShared(
  token: string,
  id: number,
  { date_from, date_to }: Dates,
  signal: AbortSignal,
): Promise<Asked> {
  const query = { date_from: date_from ?? undefined, date_to: date_to ?? undefined };
  const insight = await call("GET /shared/{token}/insights/{id}/", { params: { token, id }, query, signal });
  const answer = answerIn(insight as Insight);
  const node = readNode((insight as Insight).query);
  if (answer === undefined || node === null) throw new Error("There is no answer yet.");
  return { node, answer };
}
