import { findInsight, type Insight } from "../../metadata/mod.ts";
import { notFound } from "../http/errors.ts";
import { pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { parseRefresh, type RefreshMode, sharedRefresh } from "../query/refresh.ts";
import { readId } from "../serve/guard.ts";
import type { SharedCall } from "../serve/route.ts";
import { insightFile, showInsight } from "./show.ts";

const modeOf = (call: SharedCall): RefreshMode => sharedRefresh(parseRefresh(call.query.get("refresh") ?? undefined));

/** `insights/:id/` with `sharing_access_token`: the shared insight alone is there. */
export async function retrieveShared(call: SharedCall): Promise<Response> {
  const insight = await insightOf(call);
  if (readId(call.params.id) !== insight.id) throw notFound();
  const showing = { mode: modeOf(call), viewer: "link", isAlone: true } as const;
  if (call.query.get("format") === "csv") return insightFile(call, insight, showing);
  return json(await showInsight(call, insight, showing));
}

/** `insights/` with `sharing_access_token`. */
export async function listShared(call: SharedCall): Promise<Response> {
  const insight = await insightOf(call);
  const body = await showInsight(call, insight, { mode: modeOf(call), viewer: "link" });
  return json(pageBody(call.url, readPage(call.query), 1, [body]));
}

async function insightOf(call: SharedCall): Promise<Insight> {
  const insight = await call.deps.db.read((tx) => findInsight(tx, call.environment.id, call.insightId));
  if (insight === null || insight.deleted) throw notFound();
  return insight;
}
