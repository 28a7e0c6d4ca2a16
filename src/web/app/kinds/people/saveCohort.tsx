import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { call } from "../../api/client.ts";
import type { QueryNode } from "../../api/node.ts";
import { formatNumber } from "../../format/number.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";

interface SaveCohortProps {
  projectId: number;
  title: string;
  source: QueryNode;
  search: string;
  onClose(): void;
}

const NAME_MAX = 400;

/** Keeps the people of now as a static cohort. */
export function SaveCohort({ projectId, title, source, search, onClose }: SaveCohortProps) {
  const [name, setName] = useState(title.slice(0, NAME_MAX));
  const { route } = useLocation();
  const task = useTask();
  const save = () =>
    task.run(async () => {
      const query = { kind: "ActorsQuery", source, ...(search === "" ? {} : { search }) };
      const cohort = await call("POST /api/environments/{project_id}/cohorts/", {
        params: { project_id: String(projectId) },
        body: { name, is_static: true, query },
      });
      toast(`“${name}” has ${formatNumber(cohort.count ?? 0)} people`, {
        action: { label: "Open", onSelect: () => route(`/project/${projectId}/cohorts/${cohort.id}`) },
      });
      onClose();
    });
  return (
    <Dialog
      title="Save as cohort"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" form="save-cohort" type="submit" isBusy={task.isBusy} disabled={name.trim() === ""}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="save-cohort"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {task.error !== undefined && <Problem error={task.error} />}
        <TextField
          label="Name"
          value={name}
          maxLength={NAME_MAX}
          hint="The list of people as it is now. It does not change with new events."
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
}
