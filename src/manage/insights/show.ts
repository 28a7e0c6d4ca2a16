import { type Insight, maskSecretsIn } from "../../metadata/mod.ts";
import { nodeOfLegacy, type Overrides, overridden } from "../../query/mod.ts";
import { type JsonObject, requestIdOf, TerminalError } from "../../types/mod.ts";
import { apiErrorOf } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import { type Answer, cacheFields, failedAnswer, failedStatus } from "../query/answer.ts";
import { type Asker, answer, lookUp } from "../query/ask.ts";
import { tableReply } from "../query/export.ts";
import { NO_OVERRIDES } from "../query/overrides.ts";
import { type Question, questionOf } from "../query/question.ts";
import type { RefreshMode } from "../query/refresh.ts";
import { mayDo, type Viewer } from "../serve/access.ts";
import { BASIC_INSIGHT, INSIGHT, type Related, relatedOf, type ShownInsight } from "./shape.ts";

/** How insights are to be answered and shown. */
export interface Showing {
  mode: RefreshMode;
  viewer: Viewer;
  overrides?: Overrides;
  /** What the client calls the query, for cancelling. */
  queryId?: string | null;
  /** The short form. */
  basic?: boolean;
  /** The short form says what the viewer may do. */
  hasRights?: boolean;
  /** Whether nothing else is asked for: then a failure is that of the request, else that of its insight. */
  isAlone?: boolean;
}

/** One insight with what is answered to its query. Throws what the calculation throws. */
async function answerInsight(asker: Asker, insight: Insight, showing: Showing): Promise<ShownInsight> {
  return (await answerInsights(asker, [insight], { ...showing, isAlone: true })).shown[0]!;
}

/**
 * An insight's result as a CSV file. What would only look into the cache calculates where that has nothing: a file cannot say
 * that there is no result yet. 202 with `query_status` where `refresh` leaves the calculation to the background, and where that
 * failed what a look at the background query says.
 */
export async function insightFile(asker: Asker, insight: Insight, showing: Showing): Promise<Response> {
  let { answer } = await answerInsight(asker, insight, showing);
  if (answer?.text === null && showing.mode === "force_cache") {
    ({ answer } = await answerInsight(asker, insight, { ...showing, mode: "blocking" }));
  }
  if (answer?.text === null)
    return json(cacheFields(answer), answer.job?.state === "failed" ? failedStatus(answer.job) : 202);
  return tableReply(answer, insight.name || insight.derivedName);
}

/** What an insight asks, however it was saved; null for nothing. */
export function nodeOfInsight({ query, filters }: Pick<Insight, "query" | "filters">): JsonObject | null {
  return query ?? nodeOfLegacy(filters ?? {});
}

/** Insights with what is answered to their queries, and the records that they are shown with. */
async function answerInsights(
  asker: Asker,
  insights: readonly Insight[],
  { mode, viewer, overrides = NO_OVERRIDES, queryId = null, isAlone = false }: Showing,
): Promise<{ shown: ShownInsight[]; related: Related }> {
  const asked = insights.map((insight) => {
    const node = nodeOfInsight(insight);
    const query = node === null ? null : overridden(node, overrides);
    return { insight, query, question: query === null ? null : questionOf(asker.environment, query, asker) };
  });
  const questions = asked.map(({ question }) => question).filter((question) => question !== null);
  const { known, related } = await asker.deps.db.read(async (tx) => ({
    known: await lookUp(tx, asker, questions),
    related: await relatedOf(tx, insights, viewer),
  }));
  const shown: ShownInsight[] = [];
  for (const { insight, query, question } of asked) {
    const asking = question && answer(asker, question, known, mode, queryId);
    const given = await (isAlone ? asking : asking?.catch((error) => failureOf(asker, question!, error)));
    if (viewer === "link" && given?.text?.list) {
      throw new TerminalError("result_too_large", "the result is too large for a shared link; open it with a key");
    }
    shown.push({ ...insight, query, answer: given ?? null });
  }
  return { shown, related };
}

/** What one of several insights shows in place of its result. Throws where the request has ended. */
function failureOf({ deps, request }: Asker, question: Question, error: unknown): Answer {
  if (request.signal.aborted) throw error;
  const { detail } = apiErrorOf(error, (line) => deps.log(maskSecretsIn(line), requestIdOf(request)));
  return failedAnswer(question, detail, deps.now());
}

/** Bodies of insights, answered as `showing` says. A viewer with a link only is not told their authors, nor where else they are shown. */
export async function showInsights(asker: Asker, insights: readonly Insight[], showing: Showing) {
  const { mode, viewer, basic, hasRights } = showing;
  // Lists do not have what the viewer may not see.
  const visible = insights.filter((insight) => mayDo(viewer, "insight", insight, "viewer"));
  const { shown, related } = await answerInsights(asker, visible, showing);
  const told: Related = viewer === "link" ? { users: new Map(), tiles: new Map(), alerts: new Map() } : related;
  return shown.map((one) => {
    if (basic) return BASIC_INSIGHT.show(one, hasRights ? { ...told, viewer } : told);
    // The zone belongs to a result; a look into the cache that finds none has none.
    const timezone = mode !== "force_cache" || one.answer?.text ? asker.environment.timezone : null;
    return INSIGHT.show(one, { ...told, viewer, timezone });
  });
}

export async function showInsight(asker: Asker, insight: Insight, showing: Showing) {
  return (await showInsights(asker, [insight], showing))[0]!;
}
