import { useMemo } from "preact/hooks";
import { Dates } from "../../question/dates.tsx";
import { useActions } from "../../question/definitions.ts";
import { eventNames } from "../../question/entities.ts";
import { EventPicker } from "../../question/eventPicker.tsx";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import {
  BEHAVIORS,
  type Behavior,
  COMPARISONS,
  entityOf,
  hasDates,
  INTERVALS,
  namedBy,
  needs,
  rangeOf,
  withDates,
  withValue,
} from "./behavior.ts";

interface BehaviorRowProps {
  projectId: number;
  behavior: Behavior;
  onChange(behavior: Behavior): void;
}

const NONE = { kind: "EventsNode", event: "" } as const;
const LISTS = { noAny: true };
const COUNT_MAX = 999_999_999;
const AMOUNT_MAX = 10_000;
const PERIODS_MAX = 100;

/** A condition by what persons did: which event, how often, when. */
export function BehaviorRow({ projectId, behavior, onChange }: BehaviorRowProps) {
  const actions = useActions(projectId).data?.items;
  const names = useMemo(() => new Map((actions ?? []).map(({ id, label }) => [id, label])), [actions]);
  const put = (part: Partial<Behavior>) => onChange({ ...behavior, ...part });
  const entity = entityOf(behavior.key, behavior.event_type, names);
  const next = entityOf(behavior.seq_event, behavior.seq_event_type, names);
  return (
    <div class="behavior">
      <div class="behavior-line">
        <Select
          label="Whether they did it"
          value={behavior.negation === true ? "not" : "did"}
          choices={WHETHER}
          onChange={(whether) => put({ negation: whether === "not" })}
        />
        <Select
          label="What they did"
          value={behavior.value}
          choices={BEHAVIORS}
          onChange={(value) => onChange(withValue(behavior, value))}
        />
        <EventPicker
          projectId={projectId}
          label="Event"
          lists={LISTS}
          value={entity ?? NONE}
          onChange={(picked) => {
            const { key, type } = namedBy(picked);
            put({ key, event_type: type });
          }}
        />
        <PropertyFilters
          projectId={projectId}
          value={behavior.event_filters ?? []}
          isFlat
          isAnd
          addLabel="where"
          types={FILTERED_BY}
          events={entity === null ? [] : eventNames([entity])}
          onChange={(group) => put({ event_filters: group?.values.flatMap(({ values }) => values) })}
        />
      </div>
      {needs(behavior, "next") && (
        <div class="behavior-line">
          <span>and then</span>
          <EventPicker
            projectId={projectId}
            label="The event after it"
            lists={LISTS}
            value={next ?? NONE}
            onChange={(picked) => {
              const { key, type } = namedBy(picked);
              put({ seq_event: key, seq_event_type: type });
            }}
          />
          <span>within</span>
          <Length
            {...ofNext(behavior)}
            label="How long after it"
            onChange={(value, unit) => put(asNext(value, unit))}
          />
        </div>
      )}
      <div class="behavior-line">
        {needs(behavior, "count") && <Count behavior={behavior} onChange={put} />}
        {needs(behavior, "periods") && <Periods behavior={behavior} onChange={put} />}
        {needs(behavior, "time") && <Time behavior={behavior} onChange={onChange} />}
        {needs(behavior, "recent") && (
          <>
            <span>
              {behavior.value === "stopped_performing_event" ? "but not in the last" : "and again in the last"}
            </span>
            <Length {...ofNext(behavior)} label="Lately" onChange={(value, unit) => put(asNext(value, unit))} />
          </>
        )}
      </div>
    </div>
  );
}

const WHETHER = [
  { value: "did", label: "Persons that" },
  { value: "not", label: "All but persons that" },
] as const;
const FILTERED_BY = ["event", "person", "group", "session", "cohort", "element", "event_metadata"] as const;

const ofNext = ({ seq_time_value: amount, seq_time_interval: unit }: Behavior) => ({ amount, unit });
const asNext = (seq_time_value: number | undefined, seq_time_interval: string) => ({
  seq_time_value,
  seq_time_interval,
});

type Put = (part: Partial<Behavior>) => void;

function Count({ behavior, onChange }: { behavior: Behavior; onChange: Put }) {
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
function Periods({ behavior, onChange }: { behavior: Behavior; onChange: Put }) {
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
function Time({ behavior, onChange }: { behavior: Behavior; onChange(behavior: Behavior): void }) {
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

interface LengthProps {
  label: string;
  amount: number | null | undefined;
  unit: string | null | undefined;
  onChange(amount: number | undefined, unit: string): void;
}

function Length({ label, amount, unit, onChange }: LengthProps) {
  const of = unit ?? "day";
  const choices = INTERVALS.map((value) => ({ value: value as string, label: amount === 1 ? value : `${value}s` }));
  return (
    <>
      <NumberField
        label={label}
        isQuiet
        min={1}
        max={AMOUNT_MAX}
        value={amount ?? undefined}
        onChange={(value) => onChange(value, of)}
      />
      <Select
        label={`${label}, unit`}
        value={of}
        choices={choices}
        onChange={(next) => onChange(amount ?? undefined, next)}
      />
    </>
  );
}
