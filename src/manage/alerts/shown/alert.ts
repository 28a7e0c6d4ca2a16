import { Type } from "@sinclair/typebox";
import {
  ALERT_CONDITIONS,
  ALERT_INTERVALS,
  ALERT_STATES,
  type Alert,
  type AlertCheck,
  ANOMALY_DIRECTIONS,
  findUsers,
  type Insight,
  latestAlertChecks,
  THRESHOLD_TYPES,
} from "../../../metadata/mod.ts";
import { integer, nullable, object, oneOf, TIME, text, UUID } from "../../../openapi/mod.ts";
import type { Tx } from "../../../store/mod.ts";
import { isoTime } from "../../http/reply.ts";
import { shape, USER, userOf, type WithUsers } from "../../resource/shape.ts";
import { accessLevel, mayDo } from "../../serve/access.ts";
import { hasScope } from "../../serve/guard.ts";
import type { Caller } from "../../serve/route.ts";
import { withoutPath } from "./withoutPath.ts";

/** An alert with its insight, and the secret of its webhooks right after it was made. */
export type ShownAlert = Alert & { insight: Insight; newSecret?: string };

const CHECK = shape<AlertCheck>("AlertCheck", {
  id: integer(),
  created_at: TIME,
  calculated_value: [nullable(Type.Number()), "value"],
  state: oneOf(ALERT_STATES),
  targets_notified: [Type.Boolean({ description: "Whether messages went into the outbox." }), "notified"],
  breaches: Type.Array(text()),
  error: nullable(text("Why it could not be checked.")),
});

const NUMBER = nullable(Type.Number());
const THRESHOLD = object("AlertThreshold", {
  id: UUID,
  created_at: TIME,
  name: text(),
  configuration: Type.Object({
    type: oneOf(THRESHOLD_TYPES),
    bounds: Type.Object({ lower: NUMBER, upper: NUMBER }),
  }),
});
const DETECTOR = object("AlertDetector", {
  type: Type.Literal("past_weeks"),
  weeks: integer(),
  sensitivity: Type.Number(),
  direction: oneOf(ANOMALY_DIRECTIONS),
});
const INSIGHT_NAME = object("AlertInsight", {
  id: integer(),
  short_id: text(),
  name: nullable(text()),
  derived_name: nullable(text()),
});
const CONFIG = Type.Object({
  type: Type.Literal("TrendsAlertConfig"),
  series_index: integer(),
  check_ongoing_interval: Type.Boolean(),
});

interface AroundAlert extends WithUsers {
  caller: Caller;
  checks: ReadonlyMap<string, readonly AlertCheck[]>;
}

export const ALERT = shape<ShownAlert, AroundAlert>("Alert", {
  id: UUID,
  created_by: userOf(({ createdBy }) => createdBy),
  created_at: TIME,
  insight: [
    INSIGHT_NAME,
    ({ insight: { id, shortId, name, derivedName } }) => ({ id, short_id: shortId, name, derived_name: derivedName }),
  ],
  name: text(),
  subscribed_users: [
    Type.Array(USER.schema),
    ({ subscribedUsers }, { users }) =>
      subscribedUsers.flatMap((id) => {
        const user = users.get(id);
        return user === undefined || user.isRemoved ? [] : [USER.show(user, null)];
      }),
  ],
  threshold: [
    THRESHOLD,
    ({ id, createdAtMs, threshold: { type, lower, upper } }) => ({
      id,
      created_at: isoTime(createdAtMs),
      name: "",
      configuration: { type, bounds: { lower, upper } },
    }),
  ],
  condition: [Type.Object({ type: oneOf(ALERT_CONDITIONS) }), ({ condition }) => ({ type: condition })],
  state: oneOf(ALERT_STATES),
  enabled: Type.Boolean(),
  last_notified_at: nullable(TIME),
  last_checked_at: nullable(TIME),
  next_check_at: TIME,
  checks: [
    Type.Array(CHECK.schema),
    ({ id }, { checks }) => (checks.get(id) ?? []).map((check) => CHECK.show(check, null)),
  ],
  config: [
    CONFIG,
    ({ config: { seriesIndex, checkOngoingInterval } }) => ({
      type: "TrendsAlertConfig",
      series_index: seriesIndex,
      check_ongoing_interval: checkOngoingInterval,
    }),
  ],
  detector_config: [
    nullable(DETECTOR),
    ({ detector }) => (detector === null ? null : { type: "past_weeks", ...detector }),
  ],
  calculation_interval: oneOf(ALERT_INTERVALS),
  snoozed_until: nullable(TIME),
  skip_weekend: Type.Boolean(),
  last_value: nullable(Type.Number()),
  user_access_level: [
    text("What you may do with its insight, and so with the alert."),
    ({ insight }, { caller }) => accessLevel(caller, "insight", insight),
  ],
  webhook_url: [
    nullable(text("Where changes of state are sent; for those who may not change the alert without its path.")),
    ({ webhookUrl, insight }, { caller }) => {
      const isOwn = mayDo(caller, "insight", insight, "editor") && hasScope(caller.grant, "alert:write");
      return webhookUrl === null || isOwn ? webhookUrl : withoutPath(webhookUrl);
    },
  ],
  webhook_secret: [
    nullable(text("What webhooks are signed with, right after it was made; null ever after.")),
    ({ newSecret }) => newSecret ?? null,
  ],
});

/** Bodies of alerts, each with its newest checks. */
export async function showAlerts(tx: Tx, caller: Caller, alerts: readonly ShownAlert[], checksShown: number) {
  const users = await findUsers(
    tx,
    alerts.flatMap(({ createdBy, subscribedUsers }) => [createdBy, ...subscribedUsers]),
  );
  const ids = alerts.map(({ id }) => id);
  const checks = await latestAlertChecks(tx, ids, checksShown);
  return alerts.map((alert) => ALERT.show(alert, { caller, users, checks }));
}
