import { call, type Options, type Route } from "../../api/client.ts";
import type { QueryAnswer, QueryNode } from "../../api/query.ts";
import type { Insight } from "../../api/schema.ts";
import type { DateRange } from "../../question/types.ts";
import { answerIn, type TileText } from "../board/types.ts";

/** An insight of a link, before it is answered. */
export interface Head {
  id: number;
  name: string | null;
  derived_name: string | null;
  description: string | null;
  query: Record<string, unknown> | null;
}

export interface SharedBoard {
  name: string | null;
  description: string;
  tiles: readonly { id: number; layouts: unknown; text: TileText | null; insight: Head | null }[];
}

interface Settings {
  settings?: { viewer_dates: boolean };
}

/** What a link opens. */
export type Opened = Settings & ({ type: "dashboard"; dashboard: SharedBoard } | { type: "insight"; insight: Insight });

/** Throws ApiError 404 for a link that opens nothing. */
export async function loadShared(token: string): Promise<Opened> {
  const options = { params: { token: `${token}.json` } } as Options<Route>;
  return (await call("GET /shared/{token}/" as Route, options)) as unknown as Opened;
}

/** The answer to an insight of a link, with the question as it was asked: under the dates of the viewer. */
export async function askShared(
  token: string,
  id: number,
  dates: DateRange | undefined,
  signal: AbortSignal,
): Promise<{ node: QueryNode; answer: QueryAnswer }> {
  const options = {
    params: { token, id },
    query: { date_from: dates?.date_from ?? undefined, date_to: dates?.date_to ?? undefined },
    signal,
  } as unknown as Options<Route>;
  const insight = (await call("GET /shared/{token}/insights/{id}/" as Route, options)) as unknown as Insight;
  const answer = answerIn(insight);
  if (answer === undefined) throw new Error("There is no answer yet.");
  return { node: insight.query as unknown as QueryNode, answer };
}
