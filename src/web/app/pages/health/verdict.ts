import { formatCount, formatDuration } from "../../format/number.ts";
import type { Past, Status } from "./types.ts";

/** Whether events come through, in one sentence and one more. */
export interface Verdict {
  /** good: they do; late: they do, but not at once; bad: they do not; quiet: none come; unknown: nothing can be said yet. */
  level: "good" | "late" | "bad" | "quiet" | "unknown";
  title: string;
  detail: string;
}

/** Live events are usually there within a second or two. */
const LATE_MS = 15_000;
/** What waits for so long while nothing is stored is stuck. */
const STUCK_MS = 60_000;
const HOUR_MINUTES = 60;
const MANY_DROPPED = 0.05;

const LOST_NOTHING = "Senders are told to try again, and nothing that was accepted is lost.";

interface Known {
  status: Status | undefined;
  /** Why the figures of now could not be read: the status of the answer, and its words. */
  failure: { status: number; detail: string } | undefined;
  /** The last minutes, at least an hour of them; undefined while they are on the way. */
  recent: Past | undefined;
}

export function verdictOf({ status, failure, recent }: Known): Verdict {
  if (failure !== undefined) return failed(failure);
  if (status === undefined) return { level: "unknown", title: "Looking …", detail: "The figures are on the way." };
  if (status.refusal !== null) {
    return { level: "bad", title: "No events are taken in now", detail: `${sentence(status.refusal)} ${LOST_NOTHING}` };
  }
  const { lanes } = status;
  const lagMs = Math.max(lanes.live.lag_ms, lanes.overflow.lag_ms, lanes.identity.lag_ms);
  const waiting = lanes.live.queued + lanes.overflow.queued + lanes.identity.queued;
  if (waiting > 0 && lagMs >= LATE_MS) return behind(status, { lagMs, waiting, recent });
  if (status.accepted === 0) {
    return { level: "quiet", title: "No event has come yet", detail: "Nothing is in the way of one." };
  }
  return flowing(status, recent);
}

function failed({ status, detail }: { status: number; detail: string }): Verdict {
  if (status === 503) {
    return { level: "bad", title: "No events are taken in now", detail: `${sentence(detail)} ${LOST_NOTHING}` };
  }
  return { level: "bad", title: "The figures cannot be read", detail };
}

function behind(status: Status, o: { lagMs: number; waiting: number; recent: Past | undefined }): Verdict {
  const wait = `${formatCount(o.waiting, "event")} ${o.waiting === 1 ? "waits" : "wait"}, the oldest for ${formatDuration(Math.round(o.lagMs / 1000))}.`;
  const before = settledBefore(o.recent);
  const isMoving = before === null || status.accepted - status.queued > before;
  if (o.lagMs >= STUCK_MS && !isMoving) {
    return {
      level: "bad",
      title: "Events are not being stored",
      detail: `${wait} They are kept, and stored once a worker runs.`,
    };
  }
  return { level: "late", title: "Events come through late", detail: wait };
}

/** How many events had come to an end a minute ago, or before. */
function settledBefore(recent: Past | undefined): number | null {
  const known = recent?.accepted.flatMap((accepted, at) => {
    const queued = recent.queued[at] ?? null;
    return accepted === null || queued === null ? [] : [accepted - queued];
  });
  return known?.at(-2) ?? null;
}

function flowing(status: Status, recent: Past | undefined): Verdict {
  const hourAgo = recent?.accepted.slice(-HOUR_MINUTES - 1);
  const first = hourAgo?.find((value) => value !== null) ?? null;
  const migration = status.lanes.history.queued;
  const more = migration > 0 ? ` ${formatCount(migration, "event")} of a migration wait behind the live ones.` : "";
  if (recent === undefined || first === null) {
    return { level: "good", title: "Events come through", detail: `Nothing is late.${more}` };
  }
  const inHour = Math.max(0, status.accepted - first);
  const known = recent.accepted.length - recent.accepted.findIndex((value) => value !== null);
  if (inHour === 0 && known < HOUR_MINUTES) {
    // A new Weir: they came before the first figures, which may be a minute old.
    const since = formatDuration((known * recent.step_ms) / 1000);
    const detail = `All that was accepted is stored. None came in the last ${since}, as far as the figures go back.${more}`;
    return { level: "good", title: "Events came through", detail };
  }
  if (inHour === 0) {
    const detail = `Nothing is in the way: what was accepted before is stored. ${lastText(recent)}${more}`;
    return { level: "quiet", title: "No events come in", detail };
  }
  const firstDropped = recent.dropped.slice(-HOUR_MINUTES - 1).find((value) => value !== null) ?? 0;
  const dropped = Math.max(0, status.dropped - firstDropped);
  const isMany = dropped > inHour * MANY_DROPPED;
  const drops = isMany
    ? ` ${formatCount(dropped, "event")} of them ${dropped === 1 ? "was" : "were"} dropped: see the warnings.`
    : "";
  const detail = `${formatCount(inHour, "event")} came in the last hour, and nothing is late.${drops}${more}`;
  return {
    level: isMany ? "late" : "good",
    title: isMany ? "Events come through, but many are dropped" : "Events come through",
    detail,
  };
}

function lastText({ accepted, date_from, step_ms }: Past): string {
  const now = accepted.findLast((value) => value !== null) ?? null;
  const before = accepted.findLastIndex((value) => value !== null && value !== now);
  if (before === -1) return "None came in the last hours.";
  const agoS = (Date.now() - Date.parse(date_from)) / 1000 - ((before + 1) * step_ms) / 1000;
  return `The last one came ${formatDuration(Math.max(60, Math.round(agoS / 60) * 60))} ago.`;
}

/** Reasons of the server are words without a beginning and an end. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
