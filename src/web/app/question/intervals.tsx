import { Select } from "../ui/field.tsx";
import { unloadedGroups } from "./choices.tsx";
import { dateOfShift, shiftOf } from "./dateText.ts";
import { Ago } from "./dateValue.tsx";
import { useGroupTypeList } from "./definitions.ts";
import { plural } from "./names.ts";
import { cut } from "./seen.ts";

interface IntervalSelectProps {
  value: string | undefined;
  onChange(value: string): void;
}

const INTERVALS = ["minute", "hour", "day", "week", "month"];

/** The width of a place of the time axis. */
export function IntervalSelect({ value = "day", onChange }: IntervalSelectProps) {
  // Seconds, quarters and years can be asked for in the address.
  const all: string[] = INTERVALS.includes(value) ? INTERVALS : [...INTERVALS, value];
  return (
    <Select
      label="Interval"
      value={value}
      choices={all.map((name) => ({ value: name, label: `By ${name}` }))}
      onChange={onChange}
    />
  );
}

interface CompareSelectProps {
  value: { compare?: boolean; compare_to?: string } | undefined;
  onChange(value: { compare?: boolean; compare_to?: string } | undefined): void;
}

const EARLIER = [
  { value: "none", label: "No comparison" },
  { value: "previous", label: "Previous period" },
  { value: "-1w", label: "A week earlier" },
  { value: "-1m", label: "A month earlier" },
  { value: "-1q", label: "A quarter earlier" },
  { value: "-1y", label: "A year earlier" },
];

/** The period that this one is compared with. */
export function CompareSelect({ value, onChange }: CompareSelectProps) {
  const to = value?.compare_to || null;
  const now = value?.compare !== true ? "none" : (to ?? "previous");
  const shift = shiftOf(to);
  const isCustom = to !== null && !EARLIER.some((one) => one.value === to);
  const pick = (next: string) => {
    if (next === "none") onChange(undefined);
    else if (next === "previous") onChange({ compare: true });
    else onChange({ compare: true, compare_to: next === "custom" ? CUSTOM : next });
  };
  return (
    <>
      <Select
        label="Compare"
        value={isCustom ? "custom" : now}
        choices={[...EARLIER, { value: "custom", label: isCustom ? "Earlier by" : "Earlier by …" }]}
        onChange={pick}
      />
      {isCustom && (
        <Ago
          shift={shift}
          onChange={(next) => next !== null && onChange({ compare: true, compare_to: dateOfShift(next) })}
        />
      )}
    </>
  );
}

const CUSTOM = "-30d";

interface AggregationSelectProps {
  projectId: number;
  value: number | null | undefined;
  onChange(value: number | undefined): void;
}

/** Persons, or one of the group types of the project; nothing to see where there are no groups. */
export function AggregationSelect({ projectId, value, onChange }: AggregationSelectProps) {
  const list = useGroupTypeList(projectId);
  const types = list.data ?? [];
  if (types.length === 0 && value == null) return unloadedGroups(projectId, list);
  const known = types.map(({ index, name }) => ({ value: String(index), label: plural(cut(name)) }));
  const isUnknown = value != null && !types.some(({ index }) => index === value);
  const choices = [
    { value: PERSONS, label: "people" },
    ...known,
    ...(isUnknown ? [{ value: String(value), label: `groups of type ${value}` }] : []),
  ];
  return (
    <Select
      label="Count"
      isLabelled
      value={value == null ? PERSONS : String(value)}
      choices={choices}
      onChange={(next) => onChange(next === PERSONS ? undefined : Number(next))}
    />
  );
}

const PERSONS = "persons";
