import { Dates } from "../../question/dates.tsx";
import { Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import { type Behavior, COMPARISONS, hasDates, needs, rangeOf, withDates } from "./behavior.ts";
import { Length } from "./length.tsx";

const COUNT_MAX = 999_999_999;
const PERIODS_MAX = 100;

type Put = (part: Partial<Behavior>) => void;

/** How many times. */
export function Count({ behavior, onChange }: { behavior: Behavior; onChange: Put }) {
  const { operator, operator_value: count } = behavior;
  return (
    <>
      <Select
        label="How many times"
        value={operator === "eq" ? "exact" : (operator ?? "exact")}
        choices={COMPARISONS}
        onChange={(value) => onChange({ operator: value })}
      />
      <NumberField
        label="Times"
        isQuiet
        min={1}
        max={COUNT_MAX}
        unit={count === 1 ? "time" : "times"}
        value={count ?? undefined}
        onChange={(value) => onChange({ operator_value: value })}
      />
    </>
  );
}

/** In so many of the last periods, and how long one is. */
export function Periods({ behavior, onChange }: { behavior: Behavior; onChange: Put }) {
  const { min_periods: least, total_periods: total, time_value: amount, time_interval: unit } = behavior;
  return (
    <>
      <span>in</span>
      <NumberField
        label="In how many periods at least"
        isQuiet
        min={1}
        max={PERIODS_MAX}
        value={least ?? undefined}
        onChange={(value) => onChange({ min_periods: value })}
      />
      <span>or more of the last</span>
      <NumberField
        label="How many periods"
        isQuiet
        min={1}
        max={PERIODS_MAX}
        value={total ?? undefined}
        onChange={(value) => onChange({ total_periods: value })}
      />
      <span>periods of</span>
      <Length
        {...{ amount, unit }}
        label="Length of a period"
        onChange={(value, interval) => onChange({ time_value: value, time_interval: interval })}
      />
    </>
  );
}

/** In the last so many days, or between dates. */
export function Time({ behavior, onChange }: { behavior: Behavior; onChange(behavior: Behavior): void }) {
  const { time_value: amount, time_interval: unit } = behavior;
  const takesDates = needs(behavior, "dates");
  const isDated = takesDates && hasDates(behavior);
  const choose = (form: "last" | "dates") =>
    onChange(withDates(behavior, form === "dates" ? { date_from: "-30d" } : {}));
  return (
    <>
      {takesDates ? (
        <Select label="When" value={isDated ? "dates" : "last"} choices={WHEN} onChange={choose} />
      ) : (
        <span>in the last</span>
      )}
      {isDated ? (
        <Dates value={rangeOf(behavior)} onChange={(range) => onChange(withDates(behavior, range))} />
      ) : (
        <Length
          {...{ amount, unit }}
          label="Time"
          onChange={(value, interval) => onChange({ ...behavior, time_value: value, time_interval: interval })}
        />
      )}
    </>
  );
}

const WHEN = [
  { value: "last", label: "in the last" },
  { value: "dates", label: "in the dates" },
] as const;
