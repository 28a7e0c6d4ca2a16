import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { BatchExport } from "../../api/schema.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { told, useTask } from "../../ui/task.ts";
import { reloadExports } from "./useExports.ts";

/** Stops the schedule, or lets it go on, with what was missed or without. */
export function PauseButton({ projectId, of: { id, paused } }: { projectId: number; of: BatchExport }) {
  const task = useTask();
  const [isAsking, setAsking] = useState(false);
  const [withMissed, setMissed] = useState(true);
  const params = { project_id: String(projectId), id };
  const path = "/api/environments/{project_id}/batch_exports/{id}/" as const;
  const pause = () =>
    void task.run(() =>
      told(async () => {
        await call(`POST ${path}pause/`, { params });
        reloadExports(projectId);
      }),
    );
  const goOn = async () => {
    await call(`POST ${path}unpause/`, { params, body: { backfill: withMissed as never } });
    reloadExports(projectId);
  };
  return (
    <>
      <Button isBusy={task.isBusy} onClick={paused ? () => setAsking(true) : pause}>
        {paused ? "Go on" : "Pause"}
      </Button>
      {isAsking && (
        <Confirm title="Let this export go on?" action="Go on" onConfirm={goOn} onClose={() => setAsking(false)}>
          <Checkbox label="With the intervals that were over meanwhile" isOn={withMissed} onChange={setMissed} />
        </Confirm>
      )}
    </>
  );
}
