import { useState } from "preact/hooks";
import { changeEnvironment, type Environment } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { loadUser } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Segments, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Picker } from "../../ui/picker.tsx";
import { useSave } from "../parts/form/useSave.ts";
import { useChanges } from "../parts/records/useChanges.ts";

const WEEK_STARTS = [
  { value: 0, label: "Sunday" },
  { value: 1, label: "Monday" },
] as const;

interface Values {
  name: string;
  timezone: Zone;
  week_start_day: 0 | 1;
}

const savedOf = ({ name, timezone, week_start_day }: Environment): Values => ({
  name,
  timezone,
  week_start_day: week_start_day ?? 0,
});

const bodyOf = ({ name, ...rest }: Values): Values => ({ name: name.trim(), ...rest });

/** Name, time zone and begin of the week. */
export function ProjectForm({ environment }: { environment: Environment }) {
  const { values, changed, change, settle } = useChanges({ saved: savedOf(environment), bodyOf, place: null });
  const form = useSave(
    ["name", "timezone"],
    async () => {
      await changeEnvironment(environment.id, changed);
      settle(values);
      // The project's name stands in the list of projects, too.
      await loadUser();
    },
    "Saved",
  );
  const isSame = Object.keys(changed).length === 0;
  return (
    <form class="form" onSubmit={form.submit}>
      <TextField
        label="Name"
        required
        maxLength={200}
        value={values.name}
        problem={form.problemOf("name")}
        onInput={(event) => change({ name: event.currentTarget.value })}
      />
      <div class="field">
        <span class="field-name">Time zone</span>
        <ZonePicker zone={values.timezone} onChange={(timezone) => change({ timezone })} />
        {form.problemOf("timezone") !== null && <div class="field-problem">{form.problemOf("timezone")}</div>}
      </div>
      <div class="field">
        <span class="field-name">Weeks begin on</span>
        <span>
          <Segments
            label="Weeks begin on"
            value={values.week_start_day}
            choices={WEEK_STARTS}
            onChange={(week_start_day) => change({ week_start_day })}
          />
        </span>
      </div>
      {form.problem !== null && <Problem error={form.problem} />}
      {may("project:write") && (
        <p>
          <Button look="primary" type="submit" isBusy={form.isBusy} disabled={isSame || values.name.trim() === ""}>
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
