import { useId, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Segments, Select, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useSave } from "../parts/form/useSave.ts";
import { TYPE_LABELS } from "./columns.tsx";
import { change, type Definition } from "./load.ts";

const MARKS = [
  { value: "none", label: "Neither" },
  { value: "verified", label: "Verified" },
  { value: "hidden", label: "Hidden" },
] as const;
type Mark = (typeof MARKS)[number]["value"];

const DESCRIPTION_MAX = 10_000;

interface FormProps {
  projectId: number;
  definition: Definition;
  mayEdit: boolean;
  onSaved(definition: Definition): void;
}

/** What people say of a name: its type, what it means, tags, whether it is verified or hidden. */
export function DefinitionForm({ projectId, definition, mayEdit, onSaved }: FormProps) {
  const id = useId();
  const isProperty = definition.subject.kind === "property";
  const saved = {
    type: (definition.propertyType ?? "unknown") as (typeof TYPE_LABELS)[number]["value"],
    description: definition.description,
    tags: definition.tags.join(", "),
    mark: (definition.hidden ? "hidden" : definition.verified ? "verified" : "none") as Mark,
  };
  const [{ type, description, tags, mark }, setValues] = useState(saved);
  const set = (part: Partial<typeof saved>) => setValues((before) => ({ ...before, ...part }));
  const form = useSave(
    ["description", "tags", "property_type"],
    async () => {
      const next = await change(projectId, definition, {
        ...(isProperty && type !== saved.type && { property_type: type === "unknown" ? null : type }),
        ...(description !== saved.description && { description: description.trim() }),
        ...(tags !== saved.tags && { tags: tagsIn(tags) }),
        ...(mark !== saved.mark && { verified: mark === "verified", hidden: mark === "hidden" }),
      });
      set({ description: next.description, tags: next.tags.join(", ") });
      onSaved(next);
    },
    "Saved",
  );
  const isSame = type === saved.type && description === saved.description && tags === saved.tags && mark === saved.mark;
  return (
    <form class="form" onSubmit={form.submit}>
      <fieldset class="plain-fieldset" disabled={!mayEdit}>
        <legend class="unseen">What it means</legend>
        {isProperty && (
          <div class="field">
            <span>
              <Select
                label="Type"
                isLabelled
                value={type}
                choices={TYPE_LABELS}
                onChange={(next) => set({ type: next })}
              />
            </span>
            <div class={form.problemOf("property_type") ? "field-problem" : "field-hint"}>
              {form.problemOf("property_type") ??
                "Filters and SQL read it so from now on, also in old events. What is stored does not change."}
            </div>
          </div>
        )}
        <div class="field">
          <label for={id}>Description</label>
          <textarea
            id={id}
            class="input definition-text"
            dir="auto"
            rows={3}
            maxLength={DESCRIPTION_MAX}
            value={description}
            onInput={(event) => set({ description: event.currentTarget.value })}
          />
        </div>
        <TextField
          label="Tags"
          dir="auto"
          value={tags}
          hint="With commas between them."
          problem={form.problemOf("tags")}
          onInput={(event) => set({ tags: event.currentTarget.value })}
        />
        <div class="field">
          <span class="field-name">Mark</span>
          <Segments label="Mark" value={mark} choices={MARKS} onChange={(next) => set({ mark: next })} />
          <div class="field-hint">
            Verified: somebody has looked that it is right. Hidden: pickers leave it out; insights go on with it.
          </div>
        </div>
      </fieldset>
      {form.problem !== null && <Problem error={form.problem} />}
      {mayEdit && (
        <p>
          <Button look="primary" type="submit" isBusy={form.isBusy} disabled={isSame}>
            Save
          </Button>
        </p>
      )}
    </form>
  );
}

const tagsIn = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
