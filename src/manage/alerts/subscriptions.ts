import { Type } from "@sinclair/typebox";
import { nextDeliveryMs } from "../../alerts/mod.ts";
import {
  type ControlledKind,
  countSubscriptions,
  createSubscription,
  FREQUENCIES,
  findDashboard,
  findDashboards,
  findInsight,
  findInsights,
  findSubscription,
  findUsers,
  holdRow,
  listSubscriptions,
  type ObjectLevel,
  removeWaitingDeliveries,
  SUBSCRIPTION_TARGETS,
  type Subscription,
  updateSubscription,
} from "../../metadata/mod.ts";
import { integer, nullable, oneOf, TIME, text } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { FieldError, type FieldValues, required } from "../http/fields.ts";
import { positiveParam } from "../http/page.ts";
import { numberParam } from "../http/query.ts";
import { Resource } from "../resource/resource.ts";
import { shape, userOf, type WithUsers } from "../resource/shape.ts";
import { accessLevel, type Controlled, isAtLeast, mayDo, requireEditor, visibleTo } from "../serve/access.ts";
import { hasScope, readId } from "../serve/guard.ts";
import type { Caller, EnvironmentCall } from "../serve/route.ts";
import { withoutPath } from "./shown/withoutPath.ts";
import { checkedAddresses, SUBSCRIPTION_FIELDS, WEEKDAYS } from "./subscriptionFields.ts";
import { checkedUrl, isPrivateUrl, newSecret } from "./target.ts";

/** Subscriptions of one environment. */
const SUBSCRIPTIONS_MAX = 500;

type Values = FieldValues<typeof SUBSCRIPTION_FIELDS>;

/** A subscription, with the secret of its webhooks right after it was made. */
type ShownSubscription = Subscription & { newSecret?: string };

interface Around extends WithUsers {
  caller: Caller;
  insights: ReadonlyMap<number, Controlled>;
  dashboards: ReadonlyMap<number, Controlled>;
}

const { schema, show } = shape<ShownSubscription, Around>("Subscription", {
  id: integer(),
  dashboard: [nullable(integer()), "dashboardId"],
  insight: [nullable(integer()), "insightId"],
  title: text(),
  target_type: oneOf(SUBSCRIPTION_TARGETS),
  target_value: [
    text(
      "Addresses of e-mail with commas, or one http(s) address; for those who may not change it that is without its path.",
    ),
    shownTarget,
  ],
  frequency: oneOf(FREQUENCIES),
  interval: integer("Every so many days, weeks or months."),
  byweekday: [
    nullable(Type.Array(oneOf(WEEKDAYS))),
    ({ byweekday }) => byweekday?.map((day) => WEEKDAYS[day - 1]) ?? null,
  ],
  bysetpos: nullable(integer("Which of these days in a month; -1: the last.")),
  count: nullable(integer("It ends after so many deliveries.")),
  start_date: TIME,
  until_date: nullable(TIME),
  created_at: TIME,
  created_by: userOf(({ createdBy }) => createdBy),
  deleted: Type.Boolean(),
  summary: [text("When it is sent, in words."), summaryOf],
  next_delivery_date: nullable(TIME),
  webhook_secret: [
    nullable(text("What webhooks are signed with, right after it was made; null ever after.")),
    ({ newSecret }) => newSecret ?? null,
  ],
  user_access_level: [text("What you may do with its insight or dashboard, and so with the subscription."), levelOf],
});

/** `none` of what is gone. */
function levelOf({ insightId, dashboardId }: Subscription, { caller, insights, dashboards }: Around): ObjectLevel {
  const kind = insightId === null ? "dashboard" : "insight";
  const object = kind === "insight" ? insights.get(insightId ?? 0) : dashboards.get(dashboardId ?? 0);
  return object === undefined ? "none" : accessLevel(caller, kind, object);
}

function shownTarget(item: Subscription, around: Around): string {
  const isOwn = isAtLeast(levelOf(item, around), "editor") && hasScope(around.caller.grant, "subscription:write");
  return item.targetType === "email" || isOwn ? item.targetValue : withoutPath(item.targetValue);
}

/** What a subscription is about; null for what is gone. */
async function subjectOf(
  tx: Tx,
  { teamId, insightId, dashboardId }: Pick<Subscription, "teamId" | "insightId" | "dashboardId">,
): Promise<{ kind: ControlledKind; object: Controlled } | null> {
  const kind = insightId === null ? "dashboard" : "insight";
  const id = insightId ?? dashboardId ?? 0;
  const object = await (kind === "insight" ? findInsight : findDashboard)(tx, teamId, id);
  return object === null || object.deleted ? null : { kind, object };
}

async function find(tx: Tx, call: EnvironmentCall): Promise<ShownSubscription | null> {
  const id = readId(call.params.id);
  const item = id === null ? null : await findSubscription(tx, call.environment.id, id);
  const subject = item && (await subjectOf(tx, item));
  return subject && mayDo(call.caller, subject.kind, subject.object, "viewer") ? item : null;
}

/** Insights and dashboards that are sent again and again. They are seen with the right to see these, and changed with the right to change them. */
export const SUBSCRIPTIONS: Resource<ShownSubscription, Values> = new Resource({
  noun: "subscription",
  path: "subscriptions",
  scope: "subscription",
  log: "Subscription",
  summaries: {
    create: "Create a subscription; the secret that its webhooks are signed with is shown in this answer only",
  },
  fields: SUBSCRIPTION_FIELDS,
  newOnly: ["insight", "dashboard"],
  changeOnly: ["deleted"],
  requires: ["target_type", "target_value", "frequency", "start_date"],
  schema,
  order: "-created_at_ms",
  listQuery: {
    insight: numberParam("Those of this insight alone."),
    dashboard: numberParam("Those of this dashboard alone."),
  },
  find,
  async hold(tx, call) {
    const found = await find(tx, call);
    if (found === null) return null;
    const subject = (await subjectOf(tx, found))!;
    requireEditor(call.caller, subject.kind, subject.object);
    await holdRow(tx, "subscriptions", found.id);
    return find(tx, call);
  },
  list(tx, { environment, caller, query }, page) {
    const [insight, dashboard] = [visibleTo(caller, "insight"), visibleTo(caller, "dashboard")];
    const filter = {
      teamId: environment.id,
      insightId: positiveParam(query.get("insight")) || null,
      dashboardId: positiveParam(query.get("dashboard")) || null,
      visible: insight === null || dashboard === null ? null : { insight, dashboard },
    };
    return listSubscriptions(tx, filter, page);
  },
  async make(tx, call, values) {
    const { environment, caller, nowMs } = call;
    const { insight: insightId = null, dashboard: dashboardId = null } = values;
    if ((insightId === null) === (dashboardId === null)) {
      throw invalidField(null, "invalid_input", "Either dashboard or insight is required for a subscription.");
    }
    const subject = await subjectOf(tx, { teamId: environment.id, insightId, dashboardId });
    if (subject === null || !mayDo(caller, subject.kind, subject.object, "viewer")) {
      const attr = insightId === null ? "dashboard" : "insight";
      throw invalidField(attr, "does_not_exist", `Invalid pk "${insightId ?? dashboardId}" - object does not exist.`);
    }
    requireEditor(caller, subject.kind, subject.object);
    // Two that make the last one at once must not both find room.
    await holdRow(tx, "environments", environment.id);
    if ((await countSubscriptions(tx, environment.id)) >= SUBSCRIPTIONS_MAX) {
      throw invalidField(null, "limit_reached", `A project can have ${SUBSCRIPTIONS_MAX} subscriptions.`);
    }
    const blank: Subscription = {
      id: 0,
      teamId: environment.id,
      insightId,
      dashboardId,
      title: "",
      targetType: required("target_type", values.target_type),
      targetValue: "",
      webhookSecret: "",
      frequency: required("frequency", values.frequency),
      interval: 1,
      byweekday: null,
      bysetpos: null,
      startDateMs: required("start_date", values.start_date),
      untilDateMs: null,
      count: null,
      deliveriesMade: 0,
      nextDeliveryDateMs: null,
      epoch: 0,
      deleted: false,
      createdBy: caller.user.id,
      createdAtMs: nowMs,
    };
    const made = await createSubscription(tx, withValues(call, blank, values));
    const kept = withSecret(call, { ...made, targetValue: "" }, made, false);
    if (kept.newSecret !== undefined) await updateSubscription(tx, kept);
    return kept;
  },
  async change(tx, call, before, values) {
    const changed = withValues(call, before, values);
    const after = withSecret(call, before, changed, values.new_webhook_secret ?? false);
    await updateSubscription(tx, after);
    const { id, teamId, deleted } = after;
    if (deleted) await removeWaitingDeliveries(tx, { teamId, kind: "subscription", sourceId: String(id) });
    return { after };
  },
  nameOf: ({ title }) => title || null,
  logged: (_tx, item) => loggedOf(item),
  async show(tx, { caller, environment }, items) {
    const users = await findUsers(
      tx,
      items.map(({ createdBy }) => createdBy),
    );
    const idsOf = (name: "insightId" | "dashboardId") => items.flatMap((item) => item[name] ?? []);
    const insights = byId(await findInsights(tx, environment.id, idsOf("insightId")));
    const dashboards = byId(await findDashboards(tx, environment.id, idsOf("dashboardId")));
    return items.map((item) => show(item, { users, caller, insights, dashboards }));
  },
});

const byId = <T extends Controlled>(objects: readonly T[]) => new Map(objects.map((object) => [object.id, object]));

/** With what the body says, and when it is due then. Throws ApiError 400. */
function withValues(call: EnvironmentCall, before: Subscription, values: Values): Subscription {
  const targetType = values.target_type ?? before.targetType;
  const after = {
    ...before,
    title: values.title === undefined ? before.title : (values.title ?? ""),
    targetType,
    targetValue: checkedTarget(call, targetType, values.target_value ?? before.targetValue),
    frequency: values.frequency ?? before.frequency,
    interval: values.interval ?? before.interval,
    byweekday: values.byweekday === undefined ? before.byweekday : values.byweekday,
    bysetpos: values.bysetpos === undefined ? before.bysetpos : values.bysetpos,
    startDateMs: values.start_date ?? before.startDateMs,
    untilDateMs: values.until_date === undefined ? before.untilDateMs : values.until_date,
    count: values.count === undefined ? before.count : values.count,
    deleted: values.deleted ?? before.deleted,
  };
  if (after.bysetpos !== null && (after.frequency !== "monthly" || after.byweekday === null || after.bysetpos === 0)) {
    throw invalidField("bysetpos", "invalid_input", "It needs the frequency monthly and byweekday, and is not 0.");
  }
  const isOver = after.count !== null && after.deliveriesMade >= after.count;
  const nextDeliveryDateMs = isOver ? null : nextDeliveryMs(after, call.nowMs, call.environment.timezone);
  return { ...after, nextDeliveryDateMs };
}

function checkedTarget({ deps }: EnvironmentCall, type: Subscription["targetType"], value: string): string {
  try {
    if (type === "email") return checkedAddresses(value);
    const url = checkedUrl(value);
    if (deps.exports.env.allowPrivate || !isPrivateUrl(url)) return url;
    throw new FieldError("invalid_input", "This host has a private address.");
  } catch (error) {
    if (error instanceof FieldError) throw invalidField("target_value", error.code, error.detail);
    throw error;
  }
}

/** A new address, or the wish for it, makes a new secret. */
function withSecret(
  { deps }: EnvironmentCall,
  before: Subscription,
  after: Subscription,
  isWanted: boolean,
): ShownSubscription {
  if (after.targetType === "email") return { ...after, webhookSecret: "" };
  const isSame = before.targetType === "webhook" && before.targetValue === after.targetValue;
  if (isSame && before.webhookSecret !== "" && !isWanted) return after;
  const { shown, kept } = newSecret(deps, String(after.id));
  return { ...after, webhookSecret: kept, newSecret: shown };
}

const UNITS = { daily: "day", weekly: "week", monthly: "month" } as const;
const PLACES: Record<string, string> = { 1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", [-1]: "last" };

/** E.g. `sent every 2 weeks on Monday`. */
function summaryOf({ frequency, interval, byweekday, bysetpos }: Subscription): string {
  const unit = UNITS[frequency];
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
  const days = (byweekday ?? []).map((day) => WEEKDAYS[day - 1]!.replace(/^./, (first) => first.toUpperCase()));
  if (days.length === 0) return `sent ${every}`;
  const place = bysetpos === null ? "" : `the ${PLACES[bysetpos] ?? ""} `;
  return `sent ${every} on ${place}${days.join(", ")}`;
}

/** The members that the log compares; of the secret only that it was changed. */
function loggedOf(item: Subscription): JsonObject {
  return {
    title: item.title,
    target_type: item.targetType,
    target_value: item.targetType === "email" ? item.targetValue : withoutPath(item.targetValue),
    frequency: item.frequency,
    interval: item.interval,
    byweekday: item.byweekday,
    bysetpos: item.bysetpos,
    count: item.count,
    start_date: item.startDateMs,
    until_date: item.untilDateMs,
    deleted: item.deleted,
    webhook_secret: item.webhookSecret,
  };
}
