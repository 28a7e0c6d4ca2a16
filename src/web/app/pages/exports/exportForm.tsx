import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { BatchExport } from "../../api/schema.ts";
import { Button } from "../../ui/button.tsx";
import { Select, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { TextArea } from "../../ui/textArea.tsx";
import { useSave } from "../parts/form/useSave.ts";
import { DestinationFields } from "./destinationFields.tsx";
import { DESTINATIONS } from "./destinations.ts";
import { bodyOf, type Draft, draftOf, wishOf, withDestination } from "./draft.ts";
import { TestConnection } from "./testConnection.tsx";
import { DAYS, HOURS, INTERVALS, MODELS } from "./words.ts";

interface ExportFormProps {
  projectId: number;
  /** Null: it is made. */
  saved: BatchExport | null;
  /** The time zone of the project. */
  zone: string;
  onSaved(saved: BatchExport): void;
  onCancel?(): void;
}

/** What is exported, where, and when. */
export function ExportForm({ projectId, saved, zone, onSaved, onCancel }: ExportFormProps) {
  const [draft, setDraft] = useState(() => draftOf(saved));
  const set = (more: Partial<Draft>) => setDraft({ ...draft, ...more });
  const { destination, model } = draft;
  const project = { project_id: String(projectId) };
  const form = useSave(
    ["name", "hogql_query"],
    async () => {
      const body = bodyOf(draft, saved, zone);
      const route = "/api/environments/{project_id}/batch_exports/";
      onSaved(
        saved === null
          ? await call(`POST ${route}`, { params: project, body })
          : await call(`PATCH ${route}{id}/`, { params: { ...project, id: saved.id }, body }),
      );
    },
    "Saved",
  );
  return (
    <form class="form" onSubmit={form.submit}>
      <TextField
        label="Name"
        required
        maxLength={200}
        dir="auto"
        value={draft.name}
        problem={form.problemOf("name")}
        onInput={(event) => set({ name: event.currentTarget.value })}
      />
      <Select
        label="What"
        isLabelled
        value={model}
        choices={MODELS.filter(({ value }) => destination.models.includes(value))}
        onChange={(next) => set({ model: next })}
      />
      <What draft={draft} onChange={set} problem={form.problemOf("hogql_query")} />
      <When draft={draft} zone={saved?.timezone ?? zone} onChange={set} />
      {saved === null && (
        <Select
          label="To"
          isLabelled
          value={destination.type}
          choices={DESTINATIONS.map(({ type: value, label }) => ({ value, label }))}
          onChange={(type) => setDraft(withDestination(draft, DESTINATIONS.find((one) => one.type === type)!))}
        />
      )}
      <DestinationFields
        key={destination.type}
        destination={destination}
        values={draft.values}
        isSaved={saved !== null}
        onChange={(values) => set({ values })}
      />
      <TestConnection projectId={projectId} saved={saved} wish={() => wishOf(draft, saved)} />
      {form.problem !== null && <Problem error={form.problem} />}
      <p class="form-end">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button look="primary" type="submit" isBusy={form.isBusy} disabled={draft.name.trim() === ""}>
          {saved === null ? "Make the export" : "Save"}
        </Button>
      </p>
    </form>
  );
}

interface PartProps {
  draft: Draft;
  onChange(more: Partial<Draft>): void;
}

function What({ draft, onChange, problem }: PartProps & { problem: string | null }) {
  const names = { rows: 3, maxLength: 20_000 };
  if (draft.model === "hogql") {
    return (
      <TextArea
        label="Query"
        value={draft.query}
        rows={6}
        maxLength={65_536}
        isMono
        problem={problem}
        hint="It may name {data_interval_start} and {data_interval_end}. Each column needs a name."
        onChange={(query) => onChange({ query })}
      />
    );
  }
  if (draft.model !== "events") return null;
  return (
    <>
      <TextArea
        {...names}
        label="Only these events"
        value={draft.include}
        hint="One name a line. Empty: all."
        onChange={(include) => onChange({ include })}
      />
      <TextArea
        {...names}
        label="Not these events"
        value={draft.exclude}
        hint="One name a line."
        onChange={(exclude) => onChange({ exclude })}
      />
    </>
  );
}

function When({ draft: { interval, hour, day }, zone, onChange }: PartProps & { zone: string }) {
  const isOfCalendar = interval === "day" || interval === "week";
  return (
    <div class="field">
      <div class="row">
        <Select
          label="Every"
          isLabelled
          value={interval}
          choices={INTERVALS}
          onChange={(next) => onChange({ interval: next })}
        />
        {interval === "week" && (
          <Select label="Day" value={day} choices={DAYS} onChange={(next) => onChange({ day: next })} />
        )}
        {isOfCalendar && (
          <Select label="Hour" value={hour} choices={HOURS} onChange={(next) => onChange({ hour: next })} />
        )}
      </div>
      <p class="field-hint">
        {isOfCalendar ? `By the clock of ${zone.replaceAll("_", " ")}. ` : ""}
        Each run has what was accepted in its interval, so an event that comes late is in a later one.
      </p>
    </div>
  );
}
