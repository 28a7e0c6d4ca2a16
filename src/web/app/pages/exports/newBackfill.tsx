import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { BatchExport } from "../../api/schema.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { reloadExports } from "./useExports.ts";

/** Has the intervals of a range exported again. Days and weeks are named by dates, shorter intervals by times in UTC. */
export function NewBackfill({ projectId, of: one, onClose }: { projectId: number; of: BatchExport; onClose(): void }) {
  const [isAll, setAll] = useState(true);
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const task = useTask();
  const isByDate = one.interval === "day" || one.interval === "week";
  const at = (text: string) => (text === "" ? null : isByDate ? text : `${text}:00Z`);
  const make = (event: Event) => {
    event.preventDefault();
    void task
      .run(async () => {
        const params = { project_id: String(projectId), id: one.id };
        const body = { start_at: isAll ? null : at(from), end_at: at(to) };
        await call("POST /api/environments/{project_id}/batch_exports/{id}/backfills/", { params, body });
        reloadExports(projectId);
      })
      .then((isDone) => isDone && onClose());
  };
  const type = isByDate ? "date" : "datetime-local";
  const unit = isByDate ? "" : " (UTC)";
  return (
    <Dialog title="Export the past" onClose={onClose}>
      <form class="form" onSubmit={make}>
        <Checkbox label="Everything from the beginning, in one run" isOn={isAll} onChange={setAll} />
        {!isAll && (
          <TextField
            label={`From${unit}`}
            type={type}
            required
            value={from}
            hint={one.interval === "week" ? "The day that its weeks begin on." : undefined}
            onInput={(event) => setFrom(event.currentTarget.value)}
          />
        )}
        <TextField
          label={`To${unit}`}
          type={type}
          value={to}
          hint="Empty: up to what the schedule does next."
          onInput={(event) => setTo(event.currentTarget.value)}
        />
        <p class="quiet">Times are those at which Weir accepted the events.</p>
        {task.error !== undefined && <Problem error={task.error} />}
        <p class="form-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={task.isBusy} disabled={!isAll && from === ""}>
            Export it
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
