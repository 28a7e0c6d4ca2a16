import { useId, useState } from "preact/hooks";
import type { Annotation } from "../../../api/schema.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Select } from "../../../ui/field.tsx";
import { useTask } from "../../../ui/task.ts";
import { saveNote } from "./notesApi.ts";
import { fieldText, instantOf } from "./places.ts";
import { SCOPE_LABELS } from "./scopes.ts";
import type { Scope } from "./types.ts";

const TEXT_MAX = 8_192;

interface NewProps {
  atMs: number;
  /** Where it can stand, what is likeliest first. */
  scopes: readonly Scope[];
  insightId?: number;
  dashboardId?: number;
  note?: undefined;
}
type NoteDialogProps = { projectId: number; zone: string; onClose(): void } & (NewProps | { note: Annotation });

/** Writes an annotation: what happened, when, and on which charts it stands. */
export function NoteDialog(props: NoteDialogProps) {
  const { projectId, zone, note, onClose } = props;
  const id = useId();
  const choices = props.note === undefined ? props.scopes : scopesOf(props.note);
  const [before] = useState(() => ({
    text: note?.content ?? "",
    at: fieldText(props.note === undefined ? props.atMs : Date.parse(props.note.date_marker ?? ""), zone),
    scope: note?.scope ?? choices[0]!,
  }));
  const [text, setText] = useState(before.text);
  const [at, setAt] = useState(before.at);
  const [scope, setScope] = useState<Scope>(before.scope);
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const date_marker = new Date(instantOf(at, zone)).toISOString();
      if (props.note !== undefined) {
        // What was not changed here may be newer by now, and the field of the time has no seconds.
        await saveNote(projectId, props.note.id, {
          ...(text !== before.text && { content: text.trim() }),
          ...(at !== before.at && { date_marker }),
          ...(scope !== before.scope && { scope }),
        });
      } else {
        await saveNote(projectId, null, {
          ...{ content: text.trim(), date_marker, scope },
          ...(scope === "dashboard_item" && { dashboard_item: props.insightId }),
          ...(scope === "dashboard" && { dashboard_id: props.dashboardId }),
        });
      }
      onClose();
    });
  };
  return (
    <Dialog
      title={note === undefined ? "Add annotation" : "Edit annotation"}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={id}
            isBusy={task.isBusy}
            disabled={text.trim() === "" || at === ""}
          >
            {note === undefined ? "Add" : "Save"}
          </Button>
        </>
      }
    >
      <form id={id} class="form-column" onSubmit={save}>
        <div class="field">
          <label for={`${id}-text`}>What happened</label>
          <textarea
            id={`${id}-text`}
            class="input"
            dir="auto"
            rows={3}
            maxLength={TEXT_MAX}
            value={text}
            aria-describedby={`${id}-hint`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div id={`${id}-hint`} class={task.problem === null ? "field-hint" : "field-problem"}>
            {task.problem ?? "Those who have a link to a chart see the annotations on it, too."}
          </div>
        </div>
        <div class="field">
          <label for={`${id}-at`}>When</label>
          <input
            id={`${id}-at`}
            class="input"
            type="datetime-local"
            value={at}
            onInput={(event) => setAt(event.currentTarget.value)}
          />
          <div class="field-hint">Time zone: {zone}</div>
        </div>
        <Select<Scope>
          label="Shown on"
          isLabelled
          value={scope}
          choices={choices.map((value) => ({ value, label: labelOf(value, note) }))}
          onChange={setScope}
        />
      </form>
    </Dialog>
  );
}

/** What it belongs to already, or could. */
function scopesOf({ scope, dashboard_item, dashboard_id }: Annotation): readonly Scope[] {
  return [
    ...(dashboard_item !== null || scope === "dashboard_item" ? (["dashboard_item"] as const) : []),
    ...(dashboard_id !== null || scope === "dashboard" ? (["dashboard"] as const) : []),
    "project",
    "organization",
  ];
}

/** An annotation that is changed may stand on another insight than the one in sight. */
function labelOf(scope: Scope, note: Annotation | undefined): string {
  const name =
    scope === "dashboard_item"
      ? (note?.insight_name ?? note?.insight_derived_name)
      : scope === "dashboard"
        ? note?.dashboard_name
        : null;
  return name || SCOPE_LABELS[scope];
}
