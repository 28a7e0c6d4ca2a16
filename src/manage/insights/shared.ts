import { findEnvironment, findInsight, findSharedInsight, type Insight } from "../../metadata/mod.ts";
import { ERROR, media } from "../../openapi/mod.ts";
import { notFound } from "../http/errors.ts";
import { pageBody, readPage } from "../http/page.ts";
import { wordParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { tableOf } from "../query/export.ts";
import { parseRefresh, type RefreshMode, sharedRefresh } from "../query/refresh.ts";
import { readId } from "../serve/guard.ts";
import type { OpenCall, Route, SharedCall } from "../serve/route.ts";
import { SHARED_INSIGHT } from "./shape.ts";
import { sharedPage } from "./sharedPage.ts";
import { answerInsight, insightFile, showInsight } from "./show.ts";

/** What an enabled link opens, without a key. */
export const sharedRoutes: Route[] = [
  {
    method: "GET",
    path: "/shared/:token/",
    summary: "A shared insight as a page; as JSON with `format=json` or `.json` behind the token",
    confinement: "open",
    linkParam: "token",
    query: { format: wordParam("`json` for JSON.", ["json"]) },
    responses: { 200: [media("text/html"), SHARED_INSIGHT], 404: ERROR, 429: ERROR, ...TIMEOUT },
    handle: showPage,
  },
];

const modeOf = (call: OpenCall): RefreshMode => sharedRefresh(parseRefresh(call.query.get("refresh") ?? undefined));

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

const JSON_SUFFIX = /\.json$/;
/** The page must have something to show the first time, too. */
const PAGE_MODE: RefreshMode = "async_except_on_cache_miss";

async function showPage(call: OpenCall): Promise<Response> {
  const name = call.params.token ?? "";
  const found = await call.deps.db.read(async (tx) => {
    const sharing = await findSharedInsight(tx, name.replace(JSON_SUFFIX, ""));
    const environment = sharing === null ? null : await findEnvironment(tx, sharing.teamId);
    const insight = sharing === null ? null : await findInsight(tx, sharing.teamId, sharing.insightId);
    return environment === null || insight === null ? null : { environment, insight };
  });
  if (found === null) throw notFound();
  const asker = { ...call, environment: found.environment };
  const showing = { mode: PAGE_MODE, viewer: "link", isAlone: true } as const;
  const isJson = JSON_SUFFIX.test(name) || call.query.get("format") === "json";
  if (isJson) return json({ insight: await showInsight(asker, found.insight, showing) });
  const { answer } = await answerInsight(asker, found.insight, showing);
  return sharedPage(found.insight, tableOf(answer));
}
