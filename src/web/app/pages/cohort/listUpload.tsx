import { useId } from "preact/hooks";

interface ListUploadProps {
  label: string;
  onText(text: string | null): void;
}

/** A file of people: a CSV whose lines begin with distinct ids, or whose head names the column. */
export function ListUpload({ label, onText }: ListUploadProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input cohort-file"
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        aria-describedby={`${id}-hint`}
        onChange={async (event) => {
          const file = event.currentTarget.files?.[0];
          onText(file === undefined ? null : await file.text());
        }}
      />
      <div id={`${id}-hint`} class="field-hint">
        A CSV file: a distinct ID at the beginning of each line, or a column named <code>distinct_id</code> or{" "}
        <code>person_id</code>.
      </div>
    </div>
  );
}
