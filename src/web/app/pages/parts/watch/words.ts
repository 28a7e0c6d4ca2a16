import { formatNumber } from "../../../format/number.ts";
import type { Alert } from "./data.ts";

/** What an alert can be about: its condition, or what is unusual. */
export const CONDITIONS = [
  { value: "absolute_value", label: "the value is out of bounds" },
  { value: "relative_increase", label: "it rises too much" },
  { value: "relative_decrease", label: "it falls too much" },
  { value: "past_weeks", label: "it is unusual beside past weeks" },
] as const;
export type Condition = (typeof CONDITIONS)[number]["value"];

export const INTERVALS = [
  { value: "real_time", label: "After new data" },
  { value: "every_15_minutes", label: "Every 15 minutes" },
  { value: "hourly", label: "Hourly" },
  { value: "daily", label: "Daily" },
  { value: "weekly", label: "Weekly" },
  { value: "monthly", label: "Monthly" },
] as const;

/** What an alert waits for, in words. */
export function conditionText({ condition, threshold, detector_config: detector }: Alert): string {
  if (detector !== null) return `Unusual beside ${detector.weeks} past weeks`;
  const { type, bounds } = threshold.configuration;
  const shown = (value: number) => (type === "percentage" ? `${formatNumber(value * 100)} %` : formatNumber(value));
  const parts = [
    bounds.lower === null ? [] : [`less than ${shown(bounds.lower)}`],
    bounds.upper === null ? [] : [`more than ${shown(bounds.upper)}`],
  ].flat();
  const what = { absolute_value: "", relative_increase: "Rises ", relative_decrease: "Falls " }[condition.type];
  const text = what + parts.join(" or ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The receivers, in words. */
export function targetText({ subscribed_users: users, webhook_url: url }: Alert): string {
  const names = users.map(({ first_name, email }) => first_name || email);
  return [...names, ...(url === null ? [] : [hostOf(url)])].join(", ") || "nobody";
}

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
