import { formatShort } from "../format/number.ts";

/** What is known of how an event came. */
interface Seen {
  /** Of the last 30 days; null where it is not known. */
  volume: number | null;
  lastSeenAt: string | null;
}

const STEPS = [
  [31_557_600, "y"],
  [2_629_800, "mo"],
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

/** How long ago, as short as it can be said: "5 min", "3 d". */
export function shortAgo(iso: string, nowMs = Date.now()): string {
  const seconds = (nowMs - Date.parse(iso)) / 1_000;
  const step = STEPS.find(([size]) => seconds >= size);
  return step === undefined ? "now" : `${Math.floor(seconds / step[0])} ${step[1]}`;
}

/** How many of an event there were in the last 30 days, and when it came last: "1.2K · 5 min". */
export function seenText({ volume, lastSeenAt }: Seen): string | undefined {
  const parts = [volume === null ? null : formatShort(volume), lastSeenAt === null ? null : shortAgo(lastSeenAt)];
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? undefined : known.join(" · ");
}

const SHOWN = 200;

/** Names may be as long as strangers like; a list shows their beginning. */
export const cut = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
