import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { BatchExport, BatchExportBackfill } from "../../api/schema.ts";
import { formatDateTime } from "../../format/date.ts";
import { formatCount } from "../../format/number.ts";
import { may } from "../../session/rights.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { told, useTask } from "../../ui/task.ts";
import { NewBackfill } from "./newBackfill.tsx";
import { State } from "./state.tsx";
import { reloadExports, useBackfills } from "./useExports.ts";
import { isOpen } from "./words.ts";

/** Ranges of the past that are exported again, with how far each is. */
export function Backfills({ projectId, zone, of: one }: { projectId: number; zone: string; of: BatchExport }) {
  const { data, error } = useBackfills(projectId, one.id);
  const [isMaking, setMaking] = useState(false);
  const task = useTask();
  const mayWrite = may("batch_export:write");
  const cancel = ({ id }: BatchExportBackfill) =>
    void task.run(() =>
      told(async () => {
        const params = { project_id: String(projectId), id: one.id, backfill_id: id };
        try {
          await call("POST /api/environments/{project_id}/batch_exports/{id}/backfills/{backfill_id}/cancel/", {
            params,
          });
        } finally {
          reloadExports(projectId);
        }
      }),
    );
  return (
    <div class="stack">
      <div class="export-head">
        <h2>Backfills</h2>
        {mayWrite && (
          <Button icon="refresh" onClick={() => setMaking(true)}>
            Export the past
          </Button>
        )}
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => reloadExports(projectId)} />}
      {data?.results.length === 0 && <p class="quiet">None: only intervals since it was made were exported.</p>}
      {data !== undefined && data.results.length > 0 && (
        <Table
          label="Backfills"
          columns={columnsWith(zone, mayWrite && !task.isBusy ? cancel : undefined)}
          rows={data.results}
          keyOf={({ id }) => id}
        />
      )}
      {isMaking && <NewBackfill projectId={projectId} of={one} onClose={() => setMaking(false)} />}
    </div>
  );
}

function columnsWith(
  zone: string,
  cancel: ((backfill: BatchExportBackfill) => void) | undefined,
): readonly Column<BatchExportBackfill>[] {
  const rangeOf = ({ start_at, end_at }: BatchExportBackfill) => {
    const from = start_at === null ? "the beginning" : formatDateTime(start_at, zone);
    return `${from} – ${end_at === null ? "now" : formatDateTime(end_at, zone)}`;
  };
  return [
    { key: "range", label: "Range", cell: rangeOf },
    {
      key: "state",
      label: "State",
      cell: ({ status, progress }) => <State status={status} ratio={progress?.progress ?? null} />,
    },
    {
      key: "runs",
      label: "Runs",
      isNumber: true,
      cell: ({ progress }) =>
        progress === null ? "" : `${progress.finished_runs ?? 0} of ${formatCount(progress.total_runs ?? 0, "run")}`,
    },
    { key: "begun", label: "Begun", cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      key: "cancel",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (backfill) =>
        cancel !== undefined &&
        isOpen(backfill.status) && (
          <Button look="quiet" onClick={() => cancel(backfill)}>
            Cancel
            <span class="unseen"> {rangeOf(backfill)}</span>
          </Button>
        ),
    },
  ];
}
