import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { call } from "../../api/client.ts";
import type { Environment } from "../../session/environment.ts";
import { loadUser } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";

/** Deletes a project once its name was typed. */
export function DeleteProject({ environment }: { environment: Environment }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <p>
        <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </p>
      {isAsking && <Asking environment={environment} onClose={() => setAsking(false)} />}
    </>
  );
}

function Asking({ environment: { id, name }, onClose }: { environment: Environment; onClose(): void }) {
  const { route } = useLocation();
  const [typed, setTyped] = useState("");
  const task = useTask();
  const isSure = typed.trim() === name.trim();
  const remove = (event: Event) => {
    event.preventDefault();
    if (!isSure) return;
    void task.run(async () => {
      await call("DELETE /api/environments/{project_id}/", { params: { project_id: String(id) } });
      toast(`Deleted “${name}”`);
      await loadUser();
      route("/");
    });
  };
  return (
    <Dialog title="Delete this project?" onClose={onClose}>
      <form class="form" onSubmit={remove}>
        <p>
          Its key, events, persons, insights and dashboards are gone at once, for everyone. Nobody can bring them back.
        </p>
        <TextField
          label="Name of the project"
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          hint={
            <>
              Type <strong dir="auto">{name}</strong> to delete it.
            </>
          }
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        {task.problem !== null && <Problem error={task.problem} />}
        <p class="form-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" isBusy={task.isBusy} disabled={!isSure}>
            Delete for good
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
