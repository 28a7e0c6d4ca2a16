import type { BatchExportLog, BatchExportRun } from "../../api/schema.ts";
import { formatDateTime } from "../../format/date.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useRunLogs } from "./useExports.ts";

interface RunLogProps {
  projectId: number;
  zone: string;
  run: BatchExportRun;
  onClose(): void;
}

/** What a run had to say. */
export function RunLog({ projectId, zone, run, onClose }: RunLogProps) {
  const { data, error } = useRunLogs(projectId, run.batch_export, run.id);
  return (
    <Dialog title="Log of the run" look="wide" onClose={onClose}>
      {error !== undefined && <Problem error={error} />}
      <div class="export-log">
        <Table
          label="Log"
          columns={columnsIn(zone)}
          rows={data?.results}
          keyOf={({ timestamp }, index) => `${timestamp} ${index}`}
          nothing="It has said nothing yet"
        />
      </div>
    </Dialog>
  );
}

function columnsIn(zone: string): readonly Column<BatchExportLog>[] {
  return [
    { key: "at", label: "Time", cell: ({ timestamp }) => formatDateTime(timestamp, zone) },
    { key: "level", label: "Level", cell: ({ level }) => level },
    { key: "message", label: "Message", cell: ({ message }) => message },
  ];
}
