import { type Answering, type Asked, dateFromOf, type Sheet } from "../../alerts/mod.ts";
import { findDashboard, findInsight, findUsers, type Insight, type Subscription } from "../../metadata/mod.ts";
import { overridden, ParsedQuery, type TrendsItem } from "../../query/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import { type Json, type JsonObject, RetryableError, TerminalError } from "../../types/mod.ts";
import { contentOf, overridesOf } from "../dashboards/content.ts";
import { apiErrorOf } from "../http/errors.ts";
import { nodeOfInsight } from "../insights/show.ts";
import type { Calculator } from "../query/calculator.ts";
import { linkCaller } from "../serve/access.ts";
import { MemberAccess } from "./memberAccess.ts";
import { askedNode, linesOf, watchedTrend } from "./trend.ts";

interface AnsweringParts {
  db: Db;
  calculator: Pick<Calculator, "look">;
  /** The address below which the pages are, without a slash behind it. */
  baseUrl(): string;
  log(line: string): void;
}

/** Of one insight in a message. */
const ROWS_MAX = 100;
const ROWS_MAX_LENGTH = 200_000;

/** What alerts and subscriptions ask, by the same query path as the pages. */
export function alertAnswering(parts: AnsweringParts): Answering {
  const { db, baseUrl } = parts;
  return {
    async trend(asked, insight, alert) {
      const trend = watchedTrend(insight);
      const node = askedNode(trend, trend.isTotal ? "" : dateFromOf(alert, trend.interval, trend.smoothedOver));
      const { results } = await look(parts, asked, node);
      return { lines: linesOf(results as TrendsItem[], trend, alert), interval: trend.interval };
    },

    async sheet(asked, insight, dashboardId): Promise<Sheet> {
      const node = nodeOfInsight(insight);
      if (node === null) return { columns: [], rows: [], hasMore: false };
      const dashboard =
        dashboardId === null ? null : await db.read((tx) => findDashboard(tx, insight.teamId, dashboardId));
      const query = dashboard === null ? node : overridden(node, overridesOf(dashboard));
      const table = new ParsedQuery(query).table((await look(parts, asked, query)) as unknown as JsonObject);
      const { columns, rows } = table ?? { columns: [], rows: [] };
      return { columns, ...firstRows(rows) };
    },

    async readers(tx, environment, insight, userIds) {
      const users = [...(await findUsers(tx, userIds)).values()];
      const access = await Promise.all(users.map((user) => MemberAccess.of(tx, user, environment)));
      return users.filter((_, i) => access[i]!.sees("insight", insight));
    },

    async contents(tx, environment, item) {
      const maker = (await findUsers(tx, [item.createdBy])).get(item.createdBy ?? Number.NaN);
      if (maker === undefined) return null;
      const access = await MemberAccess.of(tx, maker, environment);
      const visible = (insight: Insight) => !insight.deleted && access.sees("insight", insight);
      const found = await sentBy(tx, item);
      if (found === null || (found.dashboard !== null && !access.sees("dashboard", found.dashboard))) return null;
      const insights = found.insights.filter(visible);
      const [first] = insights;
      if (found.dashboard !== null) {
        const { id, name } = found.dashboard;
        return {
          kind: "dashboard",
          name: name || "Dashboard",
          path: `/project/${item.teamId}/dashboard/${id}`,
          insights,
        };
      }
      if (first === undefined) return null;
      const name = first.name || first.derivedName || "Insight";
      return { kind: "insight", name, path: `/project/${item.teamId}/insights/${first.shortId}`, insights };
    },

    link: (path) => baseUrl() + path,
  };
}

/** As many rows as a message takes. */
function firstRows(rows: Json[][]): Pick<Sheet, "rows" | "hasMore"> {
  let [length, count] = [0, 0];
  for (const row of rows.slice(0, ROWS_MAX)) {
    length += JSON.stringify(row).length;
    if (length > ROWS_MAX_LENGTH) break;
    count++;
  }
  return { rows: rows.slice(0, count), hasMore: count < rows.length };
}

/** What a subscription is about; null where it is gone. */
async function sentBy(tx: Tx, { teamId, insightId, dashboardId }: Subscription) {
  if (insightId !== null) {
    const insight = await findInsight(tx, teamId, insightId);
    return insight === null ? null : { dashboard: null, insights: [insight] };
  }
  const dashboard = dashboardId === null ? null : await findDashboard(tx, teamId, dashboardId);
  if (dashboard === null || dashboard.deleted) return null;
  const { tiles, insights } = await contentOf(tx, dashboard);
  const byId = new Map(insights.map((insight) => [insight.id, insight]));
  return { dashboard, insights: tiles.flatMap(({ insightId }) => byId.get(insightId ?? Number.NaN) ?? []) };
}

/**
 * What is sent out may be read by anyone, as behind a link: a cohort that is closed to any member is not there. Errors: RetryableError as it is; all others as TerminalError `not_answered` with what a client would be told.
 */
async function look(parts: AnsweringParts, { environment, nowMs, signal }: Asked, node: JsonObject) {
  try {
    const caller = await parts.db.read((tx) => linkCaller(tx, environment.id));
    return await parts.calculator.look({ environment, caller, nowMs, request: { signal } }, node);
  } catch (error) {
    if (error instanceof RetryableError || signal.aborted) throw error;
    throw new TerminalError("not_answered", apiErrorOf(error, parts.log).detail, { cause: error });
  }
}
