import { call } from "../../api/client.ts";
import type { QueryAnswer } from "../../api/query.ts";
import type { Insight, OpenedDashboard, OpenedInsight } from "../../api/schema.ts";
import type { DateRange } from "../../question/types.ts";
import { answerIn } from "../board/types.ts";

export type Opened = OpenedDashboard | OpenedInsight;

/** What a link opens. Of a dashboard nothing is answered yet. Throws ApiError 404 for a link that opens nothing. */
export function loadShared(token: string): Promise<Opened> {
  return call("GET /shared/{token}/", { params: { token }, query: { format: "json" } });
}

/** The answer to an insight of a link, under the dates of the viewer. */
export async function askShared(
  token: string,
  id: number,
  dates: DateRange | undefined,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  const query = { date_from: dates?.date_from ?? undefined, date_to: dates?.date_to ?? undefined };
  const insight = await call("GET /shared/{token}/insights/{id}/", { params: { token, id }, query, signal });
  const answer = answerIn(insight as Insight);
  if (answer === undefined) throw new Error("There is no answer yet.");
  return answer;
}
