import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { BatchExportRun } from "../../api/schema.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatDateTime } from "../../format/date.ts";
import { formatNumber } from "../../format/number.ts";
import { may } from "../../session/rights.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { told, useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { RunLog } from "./runLog.tsx";
import { RunState } from "./state.tsx";
import { reloadExports, useRuns } from "./useExports.ts";
import { isOpen } from "./words.ts";

const RANGES = [
  { value: "-7d", label: "Last 7 days" },
  { value: "-30d", label: "Last 30 days" },
  { value: "-365d", label: "Last 365 days" },
];

/** The runs of an export, the newest first, with what can be done about each. */
export function Runs({ projectId, zone, id }: { projectId: number; zone: string; id: string }) {
  const [after, setAfter] = useState(RANGES[0]!.value);
  const { data, error } = useRuns(projectId, id, after);
  const [logOf, setLogOf] = useState<BatchExportRun | null>(null);
  const task = useTask();
  const act = (what: "retry" | "cancel", run: BatchExportRun) =>
    void task.run(() =>
      told(async () => {
        const params = { project_id: String(projectId), id, run_id: run.id };
        const path = "/api/environments/{project_id}/batch_exports/{id}/runs/{run_id}/" as const;
        try {
          if (what === "retry") await call(`POST ${path}retry/`, { params });
          else await call(`POST ${path}cancel/`, { params });
          toast(what === "retry" ? "It runs again" : "Cancelled");
        } finally {
          reloadExports(projectId);
        }
      }),
    );
  return (
    <div class="stack">
      <div class="export-head">
        <h2>Runs</h2>
        <Select label="Of which time" value={after} choices={RANGES} onChange={(next) => setAfter(next)} />
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => reloadExports(projectId)} />}
      {(data !== undefined || error === undefined) && (
        <Table
          label="Runs"
          columns={columnsWith({ zone, act, showLog: setLogOf, isBusy: task.isBusy })}
          rows={data?.results}
          keyOf={(run) => run.id}
          nothing="No run yet: the first begins when its interval is over"
        />
      )}
      {data !== undefined && data.next !== null && <p class="quiet">These are the newest {data.results.length}.</p>}
      {logOf !== null && <RunLog projectId={projectId} zone={zone} run={logOf} onClose={() => setLogOf(null)} />}
    </div>
  );
}

interface Acts {
  zone: string;
  act(what: "retry" | "cancel", run: BatchExportRun): void;
  showLog(run: BatchExportRun): void;
  isBusy: boolean;
}

/** "23 Nov 2026, 22:00 – 23:00". */
export function intervalText(
  { data_interval_start: from, data_interval_end: to }: BatchExportRun,
  zone: string,
): string {
  const [begin, end] = [from === null ? "the beginning" : formatDateTime(from, zone), formatDateTime(to, zone)];
  const [date, time] = end.split(", ");
  return `${begin} – ${begin.startsWith(`${date}, `) ? time : end}`;
}

function columnsWith({ zone, act, showLog, isBusy }: Acts): readonly Column<BatchExportRun>[] {
  return [
    { key: "interval", label: "Interval", cell: (run) => intervalText(run, zone) },
    { key: "state", label: "State", cell: (run) => <RunState run={run} /> },
    { key: "rows", label: "Rows", isNumber: true, cell: ({ records_completed: rows }) => formatNumber(rows ?? 0) },
    {
      key: "bytes",
      label: "Size",
      isNumber: true,
      cell: ({ bytes_exported: bytes }) => (bytes === null ? "" : formatBytes(bytes)),
    },
    { key: "begun", label: "Begun", cell: ({ created_at }) => <Ago at={created_at} /> },
    { key: "error", label: "Error", cell: ({ latest_error }) => latest_error ?? "" },
    {
      key: "actions",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (run) => (
        <>
          {may("batch_export:write") && (
            <Button look="quiet" disabled={isBusy} onClick={() => act(isOpen(run.status) ? "cancel" : "retry", run)}>
              {isOpen(run.status) ? "Cancel" : "Run again"}
              <span class="unseen"> {intervalText(run, zone)}</span>
            </Button>
          )}
          <Button look="quiet" onClick={() => showLog(run)}>
            Log
            <span class="unseen"> of {intervalText(run, zone)}</span>
          </Button>
        </>
      ),
    },
  ];
}
