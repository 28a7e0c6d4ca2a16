import type { Options } from "../../../api/client.ts";
import type { Alert } from "./data.ts";
import type { Condition } from "./words.ts";

/** What a form of an alert holds; numbers as they are typed. */
export interface AlertWish {
  name: string;
  condition: Condition;
  isPercent: boolean;
  lower: string;
  upper: string;
  weeks: string;
  interval: Alert["calculation_interval"];
  seriesIndex: number;
  isOngoing: boolean;
  users: readonly number[];
  webhookUrl: string;
}

type Body = Options<"PATCH /api/environments/{project_id}/alerts/{id}/">["body"];

const SENSITIVITY = 3;

/** That of a new alert. */
export const newWish = (): AlertWish => ({
  name: "",
  condition: "absolute_value",
  isPercent: false,
  lower: "",
  upper: "",
  weeks: "4",
  interval: "daily",
  seriesIndex: 0,
  isOngoing: false,
  users: [],
  webhookUrl: "",
});

/** That of an alert that is there. */
export function wishOf(alert: Alert): AlertWish {
  const { type, bounds } = alert.threshold.configuration;
  const isPercent = type === "percentage";
  const shown = (value: number | null) => (value === null ? "" : String(isPercent ? round(value * 100) : value));
  return {
    name: alert.name,
    condition: alert.detector_config === null ? alert.condition.type : "past_weeks",
    isPercent,
    lower: shown(bounds.lower),
    upper: shown(bounds.upper),
    weeks: String(alert.detector_config?.weeks ?? 4),
    interval: alert.calculation_interval,
    seriesIndex: alert.config.series_index,
    isOngoing: alert.config.check_ongoing_interval,
    users: alert.subscribed_users.map(({ id }) => id),
    webhookUrl: alert.webhook_url ?? "",
  };
}

/** The body that a wish is sent as. */
export function bodyOf(wish: AlertWish, before: Alert | null) {
  const isAnomaly = wish.condition === "past_weeks";
  const isPercent = wish.isPercent && wish.condition !== "absolute_value";
  const number = (text: string) => (text.trim() === "" ? null : Number(text) / (isPercent ? 100 : 1));
  return {
    name: wish.name.trim(),
    condition: { type: isAnomaly ? "absolute_value" : wish.condition },
    threshold: {
      configuration: {
        type: isPercent ? "percentage" : "absolute",
        bounds: isAnomaly ? {} : { lower: number(wish.lower), upper: number(wish.upper) },
      },
    },
    detector_config: isAnomaly ? detectorOf(wish, before) : null,
    config: { type: "TrendsAlertConfig", series_index: wish.seriesIndex, check_ongoing_interval: wish.isOngoing },
    calculation_interval: wish.interval,
    subscribed_users: [...wish.users],
    webhook_url: wish.webhookUrl.trim() === "" ? null : wish.webhookUrl.trim(),
  } satisfies Body;
}

/** What the form does not show of it stays. */
function detectorOf({ weeks }: AlertWish, before: Alert | null) {
  const { sensitivity = SENSITIVITY, direction = "both" } = before?.detector_config ?? {};
  return { type: "past_weeks", weeks: Number(weeks), sensitivity, direction };
}

const round = (value: number): number => Number(value.toFixed(6));
