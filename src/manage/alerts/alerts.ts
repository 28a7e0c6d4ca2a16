import { dateFromOf } from "../../alerts/mod.ts";
import {
  type Alert,
  blankAlert,
  countAlerts,
  createAlert,
  findAlert,
  findInsight,
  findInsights,
  findUsers,
  holdRow,
  type Insight,
  listAlerts,
  removeAlert,
  removeWaitingDeliveries,
  updateAlert,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { type JsonObject, TerminalError } from "../../types/mod.ts";
import { type ApiError, invalidField } from "../http/errors.ts";
import { type FieldValues, required } from "../http/fields.ts";
import { positiveParam } from "../http/page.ts";
import { numberParam } from "../http/query.ts";
import { Resource } from "../resource/resource.ts";
import { mayDo, requireEditor, visibleTo } from "../serve/access.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { ALERT_FIELDS, momentOf } from "./alertFields.ts";
import { ALERT, type ShownAlert, showAlerts } from "./shown/alert.ts";
import { isPrivateUrl, newSecret } from "./target.ts";
import { type WatchedTrend, watchedTrend } from "./trend.ts";

/** Alerts of one environment. */
const ALERTS_MAX = 500;
const CHECKS_SHOWN = 20;

type Values = FieldValues<typeof ALERT_FIELDS>;

/** With its insight, unless the caller may not see that. */
async function find(tx: Tx, call: EnvironmentCall): Promise<ShownAlert | null> {
  const alert = await findAlert(tx, call.environment.id, call.params.id ?? "");
  const insight = alert && (await findInsight(tx, alert.teamId, alert.insightId));
  if (alert === null || insight === null || !mayDo(call.caller, "insight", insight, "viewer")) return null;
  return { ...alert, insight };
}

/** Alerts of trends. They are seen with the right to see their insight, and changed with the right to change it. */
export const ALERTS: Resource<ShownAlert, Values> = new Resource({
  noun: "alert",
  path: "alerts",
  scope: "alert",
  log: "AlertConfiguration",
  summaries: {
    list: "List the alerts, with their newest checks",
    create: "Create an alert of a trend; the secret that its webhooks are signed with is shown in this answer only",
    change: "Change an alert; it is checked at once. `snoozed_until` makes it silent",
    remove: "Delete an alert, with its messages that wait",
  },
  fields: ALERT_FIELDS,
  newOnly: ["insight"],
  requires: ["insight", "condition"],
  schema: ALERT.schema,
  order: "-created_at_ms",
  listQuery: { insight_id: numberParam("Those of this insight alone.") },
  find,
  async hold(tx, call) {
    const found = await find(tx, call);
    if (found === null) return null;
    requireEditor(call.caller, "insight", found.insight);
    await holdRow(tx, "alerts", found.id);
    return find(tx, call);
  },
  async list(tx, { environment, caller, query }, page) {
    const insightId = positiveParam(query.get("insight_id")) || null;
    const visible = visibleTo(caller, "insight");
    const { count, items } = await listAlerts(tx, { teamId: environment.id, insightId, visible }, page);
    const ids = items.map((alert) => alert.insightId);
    const insights = new Map((await findInsights(tx, environment.id, ids)).map((insight) => [insight.id, insight]));
    return { count, items: items.map((alert) => ({ ...alert, insight: insights.get(alert.insightId)! })) };
  },
  async make(tx, call, values) {
    const { environment, caller, nowMs } = call;
    const insight = await insightOf(tx, call, required("insight", values.insight));
    // Two that make the last one at once must not both find room.
    await holdRow(tx, "environments", environment.id);
    if ((await countAlerts(tx, environment.id)) >= ALERTS_MAX) {
      throw invalidField(null, "limit_reached", `A project can have ${ALERTS_MAX} alerts.`);
    }
    const blank = { ...blankAlert(environment.id, nowMs), insightId: insight.id, createdBy: caller.user.id, insight };
    const wanted = await withValues(tx, call, blank, values);
    const { newSecret, ...alert } = wanted;
    return { ...(await createAlert(tx, alertOf(alert))), insight, newSecret };
  },
  async change(tx, call, before, values) {
    const after = await withValues(tx, call, before, values);
    const isRuleNew = RULE.some((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
    const isAnew = isRuleNew || after.enabled !== before.enabled;
    Object.assign(after, { nextCheckAtMs: call.nowMs, checkedVersion: -1 });
    if (isAnew) Object.assign(after, { state: "Not firing", toldState: "Not firing" });
    if (after.snoozedUntilMs !== before.snoozedUntilMs) {
      after.state = isSnoozed(after, call.nowMs) ? "Snoozed" : "Not firing";
    }
    await updateAlert(tx, alertOf(after));
    return { after };
  },
  async remove(tx, _call, { id, teamId }) {
    await removeAlert(tx, id);
    await removeWaitingDeliveries(tx, { teamId, kind: "alert", sourceId: id });
  },
  nameOf: ({ name }) => name || null,
  logged: (_tx, alert) => loggedOf(alert),
  show: (tx, { caller }, alerts) => showAlerts(tx, caller, alerts, CHECKS_SHOWN),
});

/** A change of these makes it another alert: it begins anew. */
const RULE = ["condition", "threshold", "detector", "config"] as const;

const isSnoozed = ({ snoozedUntilMs }: Alert, nowMs: number): boolean =>
  snoozedUntilMs !== null && snoozedUntilMs > nowMs;

/** Without what only an answer has. */
function alertOf({ insight: _, newSecret: __, ...alert }: ShownAlert): Alert {
  return alert;
}

/** The insight of a new alert. Throws ApiError 400 and 403. */
async function insightOf(tx: Tx, call: EnvironmentCall, id: number): Promise<Insight> {
  const insight = await findInsight(tx, call.environment.id, id);
  if (insight === null || insight.deleted || !mayDo(call.caller, "insight", insight, "viewer")) {
    throw invalidField("insight", "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
  }
  requireEditor(call.caller, "insight", insight);
  return insight;
}

async function withValues(tx: Tx, call: EnvironmentCall, before: ShownAlert, values: Values): Promise<ShownAlert> {
  const { nowMs, environment } = call;
  const snooze = values.snoozed_until;
  const after: ShownAlert = {
    ...before,
    name: values.name ?? before.name,
    enabled: values.enabled ?? before.enabled,
    condition: values.condition ?? before.condition,
    threshold: values.threshold ?? before.threshold,
    config: values.config ?? before.config,
    detector: values.detector_config === undefined ? before.detector : values.detector_config,
    calculationInterval: values.calculation_interval ?? before.calculationInterval,
    skipWeekend: values.skip_weekend ?? before.skipWeekend,
    subscribedUsers: values.subscribed_users ?? before.subscribedUsers,
    snoozedUntilMs:
      snooze === undefined ? before.snoozedUntilMs : snooze && momentOf(snooze, nowMs, environment.timezone),
    webhookUrl: values.webhook_url === undefined ? before.webhookUrl : values.webhook_url,
  };
  if (values.subscribed_users !== undefined) await checkReaders(tx, values.subscribed_users);
  checkRule(after);
  return withSecret(call, before, after, values.new_webhook_secret ?? false);
}

/** A new address, or the wish for it, makes a new secret. */
function withSecret(call: EnvironmentCall, before: Alert, after: ShownAlert, isWanted: boolean): ShownAlert {
  const { webhookUrl } = after;
  if (webhookUrl === null) return { ...after, webhookSecret: "" };
  if (!call.deps.exports.env.allowPrivate && isPrivateUrl(webhookUrl)) {
    throw invalidField("webhook_url", "invalid_input", "This host has a private address.");
  }
  if (webhookUrl === before.webhookUrl && before.webhookSecret !== "" && !isWanted) return after;
  const { shown, kept } = newSecret(call.deps, after.id);
  return { ...after, webhookSecret: kept, newSecret: shown };
}

async function checkReaders(tx: Tx, ids: readonly number[]): Promise<void> {
  const users = await findUsers(tx, ids);
  const missing = ids.find((id) => users.get(id)?.isRemoved !== false);
  if (missing === undefined) return;
  throw invalidField("subscribed_users", "does_not_exist", `Invalid pk "${missing}" - object does not exist.`);
}

const noSuchSeries = (index: number, { seriesCount }: WatchedTrend): ApiError =>
  invalidField(
    "config__series_index",
    "invalid_input",
    `The insight has no series with the number ${index}: it has ${seriesCount}, counted from 0.`,
  );

/** Whether the rule fits the insight as it is now. Throws ApiError 400. */
function checkRule(alert: ShownAlert): void {
  const { detector, condition, threshold, insight } = alert;
  if (detector === null && threshold.lower === null && threshold.upper === null) {
    throw invalidField("threshold", "invalid_input", "At least one bound of the threshold must be set.");
  }
  if (detector === null && condition === "absolute_value" && threshold.type === "percentage") {
    throw invalidField("threshold", "invalid_input", "A value has an absolute threshold.");
  }
  try {
    const trend = watchedTrend(insight);
    const { seriesIndex } = alert.config;
    if (seriesIndex >= trend.seriesCount) throw noSuchSeries(seriesIndex, trend);
    if (!trend.isTotal) dateFromOf(alert, trend.interval);
    else if (detector !== null || condition !== "absolute_value") {
      throw new TerminalError("alert_rule", "The insight shows totals: a change needs values over time.");
    }
  } catch (error) {
    if (error instanceof TerminalError) throw invalidField("insight", "invalid_input", error.message);
    throw error;
  }
}

/** The members that the log compares; of the secret only that it was changed. */
function loggedOf(alert: ShownAlert): JsonObject {
  return {
    name: alert.name,
    enabled: alert.enabled,
    condition: alert.condition,
    threshold: { ...alert.threshold },
    config: { ...alert.config },
    detector_config: alert.detector === null ? null : { ...alert.detector },
    calculation_interval: alert.calculationInterval,
    skip_weekend: alert.skipWeekend,
    subscribed_users: alert.subscribedUsers,
    snoozed_until: alert.snoozedUntilMs,
    webhook_url: alert.webhookUrl,
    webhook_secret: alert.webhookSecret,
  };
}
