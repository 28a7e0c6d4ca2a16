import { useState } from "preact/hooks";
import { changeEnvironment, type Environment } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { loadUser } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Segments, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Picker } from "../../ui/picker.tsx";
import { useSave } from "../parts/form/useSave.ts";

const WEEK_STARTS = [
  { value: 0, label: "Sunday" },
  { value: 1, label: "Monday" },
] as const;

/** Name, time zone and begin of the week. */
export function ProjectForm({ environment }: { environment: Environment }) {
  const [name, setName] = useState(environment.name);
  const [zone, setZone] = useState(environment.timezone);
  const [weekStart, setWeekStart] = useState<0 | 1>(environment.week_start_day ?? 0);
  const form = useSave(
    ["name", "timezone"],
    async () => {
      await changeEnvironment(environment.id, { name: name.trim(), timezone: zone, week_start_day: weekStart });
      // The project's name stands in the list of projects, too.
      await loadUser();
    },
    "Saved",
  );
  const isSame =
    name.trim() === environment.name &&
    zone === environment.timezone &&
    weekStart === (environment.week_start_day ?? 0);
  return (
    <form class="form" onSubmit={form.submit}>
      <TextField
        label="Name"
        required
        maxLength={200}
        value={name}
        problem={form.problemOf("name")}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <div class="field">
        <span class="field-name">Time zone</span>
        <ZonePicker zone={zone} onChange={setZone} />
        {form.problemOf("timezone") !== null && <div class="field-problem">{form.problemOf("timezone")}</div>}
      </div>
      <div class="field">
        <span class="field-name">Weeks begin on</span>
        <span>
          <Segments
            label="Weeks begin on"
            value={weekStart}
            choices={WEEK_STARTS}
            onChange={(next) => setWeekStart(next)}
          />
        </span>
      </div>
      {form.problem !== null && <Problem error={form.problem} />}
      {may("project:write") && (
        <p>
          <Button look="primary" type="submit" isBusy={form.isBusy} disabled={isSame || name.trim() === ""}>
            Save
          </Button>
        </p>
      )}
    </form>
  );
}

type Zone = Environment["timezone"];

function ZonePicker({ zone, onChange }: { zone: Zone; onChange(zone: Zone): void }) {
  const [text, setText] = useState("");
  const like = text.trim().toLowerCase().replaceAll(" ", "_");
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const names = Array.from(new Set(["UTC", own, zone, ...Intl.supportedValuesOf("timeZone")]));
  const options = names
    .filter((name) => name.toLowerCase().includes(like))
    .map((name) => ({
      key: name,
      value: name as Zone,
      label: name.replaceAll("_", " "),
      hint: name === own ? "yours" : undefined,
      isChosen: name === zone,
    }));
  return (
    <Picker
      label="Find a time zone"
      text={text}
      onText={setText}
      groups={[{ label: null, options }]}
      onPick={({ value }) => onChange(value)}
    >
      <span class="unseen">Time zone: </span>
      {zone.replaceAll("_", " ")}
    </Picker>
  );
}
