import { useState } from "preact/hooks";
import { invalidate } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Segments, TextField } from "../../ui/field.tsx";
import { ShownOnce } from "../../ui/shownOnce.tsx";
import { useTask } from "../../ui/task.ts";

/** The list of the user's keys in the cache. */
export const KEYS = "personalKeys";

/** What a program needs that asks questions and shows their answers. */
const READING = [
  "query:read",
  "insight:read",
  "dashboard:read",
  "project:read",
  "person:read",
  "group:read",
  "cohort:read",
  "action:read",
  "event_definition:read",
  "property_definition:read",
  "feature_flag:read",
  "activity_log:read",
];
const RIGHTS = [
  { value: "read", label: "Read" },
  { value: "all", label: "Read and change everything" },
] as const;

/** Makes a personal key, and shows its value: the only time that anyone sees it. */
export function NewKey({ onClose }: { onClose(): void }) {
  const [label, setLabel] = useState("");
  const [rights, setRights] = useState<"read" | "all">("read");
  const [value, setValue] = useState<string | null>(null);
  const task = useTask();
  const make = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const body = { label: label.trim(), scopes: rights === "all" ? ["*"] : READING };
      setValue((await call("POST /api/personal_api_keys/", { body })).value);
      invalidate(KEYS);
    });
  };
  if (value !== null) {
    return (
      <ShownOnce title="Your new key" label={label} value={value} onClose={onClose}>
        Copy it now: it is not shown again. Weir keeps only a hash of it.
      </ShownOnce>
    );
  }
  return (
    <Dialog title="New personal key" onClose={onClose}>
      <form class="form" onSubmit={make}>
        <TextField
          label="Name"
          required
          maxLength={40}
          value={label}
          problem={task.problem}
          hint="What it is for, such as “Grafana”."
          onInput={(event) => setLabel(event.currentTarget.value)}
        />
        <div class="field">
          <span class="field-name">Access</span>
          <span>
            <Segments label="Access" value={rights} choices={RIGHTS} onChange={(next) => setRights(next)} />
          </span>
        </div>
        <p class="form-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={task.isBusy} disabled={label.trim() === ""}>
            Make the key
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
