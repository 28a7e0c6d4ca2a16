import { call } from "../../../api/client.ts";
import { Checkbox, Select, TextField } from "../../../ui/field.tsx";
import { useChanges } from "../records/useChanges.ts";
import { type AlertWish, bodyOf, newWish, wishOf } from "./alertWish.ts";
import { type Alert, paramsOf } from "./data.ts";
import { People } from "./people.tsx";
import { WatchForm, type WatchFormProps } from "./watchForm.tsx";
import { CONDITIONS, INTERVALS } from "./words.ts";

interface AlertFormProps extends WatchFormProps {
  insightId: number;
  /** Names of the series, in their order. */
  series: readonly string[];
  /** Null for a new one. */
  alert: Alert | null;
}

/** Makes an alert of an insight, or changes one. */
export function AlertForm({ insightId, series, alert, ...form }: AlertFormProps) {
  const {
    values: wish,
    changed,
    change: set,
  } = useChanges({
    saved: alert === null ? newWish() : wishOf(alert),
    bodyOf: (wish: AlertWish) => bodyOf(wish, alert),
    place: null,
  });
  const save = () => {
    const params = paramsOf(form.projectId);
    if (alert !== null) {
      const body = changed;
      return call("PATCH /api/environments/{project_id}/alerts/{id}/", { params: { ...params, id: alert.id }, body });
    }
    const body = { ...bodyOf(wish, alert), insight: insightId };
    return call("POST /api/environments/{project_id}/alerts/", { params, body });
  };
  return (
    <WatchForm {...form} save={save} done="Saved. It is checked now.">
      {(problem) => (
        <>
          <TextField
            label="Name"
            required
            maxLength={255}
            value={wish.name}
            problem={problem}
            onInput={(event) => set({ name: event.currentTarget.value })}
          />
          {series.length > 1 && (
            <Select
              isLabelled
              label="Series"
              value={wish.seriesIndex}
              choices={series.map((label, value) => ({ label, value }))}
              onChange={(seriesIndex) => set({ seriesIndex })}
            />
          )}
          <div class="field">
            <span class="field-name" aria-hidden="true">
              Tell when
            </span>
            <Select
              label="Tell when"
              value={wish.condition}
              choices={CONDITIONS}
              onChange={(condition) => set({ condition })}
            />
          </div>
          <Bounds wish={wish} set={set} />
          <div class="field">
            <span class="field-name" aria-hidden="true">
              Check
            </span>
            <Select
              label="Check"
              value={wish.interval}
              choices={INTERVALS}
              onChange={(interval) => set({ interval })}
            />
          </div>
          <People chosen={wish.users} onChange={(users) => set({ users })} />
          <TextField
            label="Webhook"
            type="url"
            placeholder="https://"
            maxLength={2_000}
            value={wish.webhookUrl}
            hint="Gets each change of state as signed JSON."
            onInput={(event) => set({ webhookUrl: event.currentTarget.value })}
          />
        </>
      )}
    </WatchForm>
  );
}

function Bounds({ wish, set }: { wish: AlertWish; set(part: Partial<AlertWish>): void }) {
  if (wish.condition === "past_weeks") {
    return (
      <TextField
        label="Past weeks"
        type="number"
        min={2}
        max={12}
        required
        value={wish.weeks}
        hint="The last complete hour, day or week is compared with the same one of so many weeks before."
        onInput={(event) => set({ weeks: event.currentTarget.value })}
      />
    );
  }
  const isChange = wish.condition !== "absolute_value";
  return (
    <>
      {isChange && <Checkbox label="In percent" isOn={wish.isPercent} onChange={(isPercent) => set({ isPercent })} />}
      <div class="row">
        <TextField
          label={isChange ? "By less than" : "Less than"}
          type="number"
          step="any"
          value={wish.lower}
          onInput={(event) => set({ lower: event.currentTarget.value })}
        />
        <TextField
          label={isChange ? "By more than" : "More than"}
          type="number"
          step="any"
          value={wish.upper}
          onInput={(event) => set({ upper: event.currentTarget.value })}
        />
      </div>
      <Checkbox
        label="Look at the present interval, too"
        isOn={wish.isOngoing}
        onChange={(isOngoing) => set({ isOngoing })}
      />
    </>
  );
}
