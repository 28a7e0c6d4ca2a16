import { useState } from "preact/hooks";
import { invalidate } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { type Level, levelsToGive } from "../../../session/levels.ts";
import { CURRENT } from "../../../session/members.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Segments, TextField } from "../../../ui/field.tsx";
import { ShownOnce } from "../../../ui/shownOnce.tsx";
import { useTask } from "../../../ui/task.ts";
import { INVITES } from "./invites.tsx";

/** Makes an invitation, and shows its link: the only time that anyone sees it. */
export function NewInvite({ onClose }: { onClose(): void }) {
  const [email, setEmail] = useState("");
  const [level, setLevel] = useState<Level>(1);
  const [url, setUrl] = useState<string | null>(null);
  const task = useTask();
  const invite = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const body = { target_email: email.trim(), level };
      setUrl((await call("POST /api/organizations/{id}/invites/", { params: CURRENT, body })).url);
      invalidate(INVITES);
    });
  };
  if (url !== null) {
    return (
      <ShownOnce title="The invitation" label="Link" value={url} onClose={onClose}>
        Send this link to <strong dir="auto">{email.trim()}</strong>: Weir sends no mail. It works once, within three
        days, and is not shown again.
      </ShownOnce>
    );
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form class="form" onSubmit={invite}>
        <TextField
          label="E-mail"
          type="email"
          required
          maxLength={254}
          value={email}
          problem={task.problem}
          hint="The new member logs in with it."
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <div class="field">
          <span class="field-name">Level</span>
          <span>
            <Segments label="Level" value={level} choices={levelsToGive()} onChange={(next) => setLevel(next)} />
          </span>
          <p class="field-hint">
            Members see and change what the projects let them. Admins see and change everything, and invite others.
          </p>
        </div>
        <p class="form-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={task.isBusy} disabled={email.trim() === ""}>
            Make the link
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
