import type { BatchExportRun } from "../../api/schema.ts";
import { formatPercent } from "../../format/number.ts";
import { Icon } from "../../ui/icon.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { isBad, isOpen, ratioOf, statusWords } from "./words.ts";

/** Where a run or a backfill is, in words. */
export function State({ status, ratio }: { status: BatchExportRun["status"]; ratio: number | null }) {
  return (
    <span class={isBad(status) ? "state-words bad" : "state-words"}>
      {isBad(status) ? (
        <Icon name="warning" />
      ) : isOpen(status) ? (
        <Spinner />
      ) : (
        status === "Completed" && <Icon name="check" />
      )}
      {statusWords(status)}
      {isOpen(status) && ratio !== null && <span class="quiet">{formatPercent(ratio)}</span>}
    </span>
  );
}

/** Of a run. */
export const RunState = ({ run }: { run: BatchExportRun }) => <State status={run.status} ratio={ratioOf(run)} />;
