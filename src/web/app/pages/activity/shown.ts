import type { Asked } from "../parts/activity/asked.ts";

/** A time that can be chosen, in days before now; `dates`: two days; empty: all. */
export const TIMES = [
  { value: "", label: "Any time" },
  { value: "1", label: "Last 24 hours" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
  { value: "dates", label: "Between two days" },
] as const;
export type Time = (typeof TIMES)[number]["value"];

/** What of the log is shown. All of it stands in the address; empty texts narrow nothing. */
export interface Shown {
  /** Of the whole organization instead of the project. */
  isAll: boolean;
  /** A uuid, or `system`. */
  user: string;
  scope: string;
  activity: string;
  time: Time;
  /** Days, as 2026-01-31. */
  from: string;
  to: string;
}

export const SYSTEM = "system";

/** What the address asks to be shown. */
export function readShown(query: Readonly<Record<string, string>>): Shown {
  const { of, user = "", scope = "", activity = "", time = "", from = "", to = "" } = query;
  const known = TIMES.find(({ value }) => value === time)?.value ?? "";
  return { isAll: of === "all", user, scope, activity, time: known, from, to };
}

/** The address of the log, with what is shown of it. */
export function logAddress(path: string, { isAll, ...shown }: Shown): string {
  const query = new URLSearchParams();
  if (isAll) query.set("of", "all");
  for (const [name, value] of Object.entries(shown)) {
    const isOfDates = name === "from" || name === "to";
    if (value !== "" && (!isOfDates || shown.time === "dates")) query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

const DAY_MS = 86_400_000;

/** What the API is asked for. Nothing later than `nowMs` is in it, so that its pages do not move while one reads. */
export function askedFor(projectId: number, shown: Shown, nowMs: number): Asked {
  const { isAll, user, scope, activity } = shown;
  return {
    projectId: isAll ? null : projectId,
    users: user === "" || user === SYSTEM ? undefined : JSON.stringify([user]),
    is_system: user === SYSTEM ? true : undefined,
    scopes: scope === "" ? undefined : JSON.stringify([scope]),
    activities: activity === "" ? undefined : JSON.stringify([activity]),
    ...rangeOf(shown, nowMs),
  };
}

/** Days are those of the clock of the browser, as the times that are shown. */
function rangeOf({ time, from, to }: Shown, nowMs: number): Pick<Asked, "start_date" | "end_date"> {
  const now = new Date(nowMs).toISOString();
  if (time !== "dates") {
    return { start_date: time === "" ? undefined : isoOf(nowMs - Number(time) * DAY_MS), end_date: now };
  }
  const start = from === "" ? Number.NaN : Date.parse(`${from}T00:00:00`);
  const end = to === "" ? Number.NaN : Date.parse(`${to}T23:59:59.999`);
  return { start_date: isoOf(start), end_date: isoOf(Number.isNaN(end) ? nowMs : Math.min(end, nowMs)) };
}

const isoOf = (ms: number): string | undefined => (Number.isNaN(ms) ? undefined : new Date(ms).toISOString());
