import { formatDuration, formatShort } from "../../format/number.ts";
import type { Running } from "./useRun.ts";

const SECOND_MS = 1_000;

/** How far a query is, or how long it took. */
export function Progress({ running: { isRunning, isStopped, progress, answer, error, tookMs } }: { running: Running }) {
  if (isRunning) {
    const { rowsRead = null, rowsTotal = null, elapsedMs = 0 } = progress ?? {};
    const share = rowsRead === null || !rowsTotal ? undefined : Math.min(1, rowsRead / rowsTotal);
    const words = [
      ...(rowsRead === null ? [] : [`${formatShort(rowsRead)} rows read`]),
      ...(elapsedMs < SECOND_MS ? [] : [`${Math.round(elapsedMs / SECOND_MS)} s`]),
    ];
    return (
      <span class="sql-progress running">
        <progress aria-label="Running" value={share} max={1} />
        <span>{words.join(" · ")}</span>
      </span>
    );
  }
  const took = answer === undefined || tookMs === null || error !== undefined ? "" : formatDuration(tookMs / SECOND_MS);
  return (
    <span class="sql-progress" role="status">
      {isStopped ? "Cancelled" : took}
    </span>
  );
}
