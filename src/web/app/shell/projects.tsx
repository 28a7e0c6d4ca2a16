import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { call } from "../api/client.ts";
import { isAdmin } from "../session/rights.ts";
import { loadUser, user } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import type { Option } from "../ui/listbox.tsx";
import { Empty } from "../ui/notice.tsx";
import { Picker } from "../ui/picker.tsx";
import { useTask } from "../ui/task.ts";
import { hrefOf } from "./entries.ts";

/** The projects that the user may see. */
export function projectsOfUser() {
  return user.value?.organization?.teams ?? [];
}

/** The open project's name; opens the list of all. */
export function ProjectSwitcher({ projectId }: { projectId: number }) {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const [isMaking, setMaking] = useState(false);
  const projects = projectsOfUser();
  const like = text.trim().toLowerCase();
  const options = projects
    .filter(({ name }) => name.toLowerCase().includes(like))
    .map(
      ({ id, name, is_demo }): Option<number> => ({
        key: String(id),
        value: id,
        label: name,
        hint: is_demo ? "demo" : undefined,
        isChosen: id === projectId,
      }),
    );
  return (
    <>
      <Picker
        look="quiet"
        label="Find a project"
        text={text}
        onText={setText}
        groups={[{ label: null, options }]}
        onPick={({ value }) => route(hrefOf(value, "home"))}
        foot={
          isAdmin() && (
            <div class="list-foot">
              <Button look="quiet" icon="plus" onClick={() => setMaking(true)}>
                New project
              </Button>
            </div>
          )
        }
      >
        <span class="unseen">Project: </span>
        {projects.find(({ id }) => id === projectId)?.name ?? "Choose a project"}
      </Picker>
      {isMaking && <NewProject onClose={() => setMaking(false)} />}
    </>
  );
}

/** Asks for a name, and goes to what a project begins with. */
function NewProject({ onClose }: { onClose(): void }) {
  const { route } = useLocation();
  const [name, setName] = useState("");
  const task = useTask();
  const make = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const { id } = await call("POST /api/projects/", { body: { name: name.trim() } });
      await loadUser();
      onClose();
      route(hrefOf(id, "start"));
    });
  };
  return (
    <Dialog title="New project" onClose={onClose}>
      <form class="form" onSubmit={make}>
        <TextField
          label="Name"
          value={name}
          problem={task.problem}
          hint="A product or a site. Its events are kept apart from those of other projects."
          required
          maxLength={200}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <p class="form-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={task.isBusy} disabled={name.trim() === ""}>
            Create project
          </Button>
        </p>
      </form>
    </Dialog>
  );
}

/** What a user sees that may see no project yet. */
export function NoProject() {
  const [isMaking, setMaking] = useState(false);
  return (
    <main class="page">
      <Empty isPage title="There is no project yet">
        {isAdmin() ? (
          <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
            New project
          </Button>
        ) : (
          <p>An admin of your organization can make one, or let you into theirs.</p>
        )}
      </Empty>
      {isMaking && <NewProject onClose={() => setMaking(false)} />}
    </main>
  );
}
