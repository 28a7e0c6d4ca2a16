import { Checkbox } from "../ui/field.tsx";
import { NumberField } from "../ui/numberField.tsx";
import { brokenBy, pickedOf, withBroken } from "./breakdownFilter.ts";
import { useValueType } from "./definitions.ts";
import { propertyLabel } from "./names.ts";
import type { Breakdown, BreakdownFilter } from "./types.ts";

interface BreakdownOptionsProps {
  projectId: number;
  value: BreakdownFilter;
  onChange(value: BreakdownFilter): void;
  defaultLimit: number;
}

const LIMIT_MAX = 1_000;
const BINS_MAX = 1_000;
const BINS_FIRST = 10;

/** How many values, what becomes of the others, and for each property bins or one form of its addresses. */
export function BreakdownOptions({ projectId, value, onChange, defaultLimit }: BreakdownOptionsProps) {
  const { parts } = brokenBy(value);
  const set = (index: number, part: Breakdown) =>
    onChange(withBroken(value, { parts: parts.with(index, part), cohorts: [] }) ?? value);
  return (
    <>
      <NumberField
        label="Most values"
        value={value.breakdown_limit ?? defaultLimit}
        min={1}
        max={LIMIT_MAX}
        onChange={(limit) => limit !== undefined && onChange({ ...value, breakdown_limit: limit })}
      />
      <Checkbox
        label="Show the others together"
        isOn={value.breakdown_hide_other_aggregation !== true}
        onChange={(isOn) => onChange({ ...value, breakdown_hide_other_aggregation: isOn ? undefined : true })}
      />
      {parts.map((part, index) => (
        <PartOptions
          key={`${index} ${part.property}`}
          projectId={projectId}
          part={part}
          onChange={(next) => set(index, next)}
        />
      ))}
    </>
  );
}

interface PartOptionsProps {
  projectId: number;
  part: Breakdown;
  onChange(part: Breakdown): void;
}

function PartOptions({ projectId, part, onChange }: PartOptionsProps) {
  const valueType = useValueType(projectId, pickedOf(part));
  const name = propertyLabel(String(part.property), part.type);
  const { histogram_bin_count: bins, normalize_url: isNormal, ...rest } = part;
  const isNumber = valueType === "Numeric" || valueType === "Duration";
  const isUrl = /url|path|href|referrer/i.test(String(part.property));
  if (!isNumber && !isUrl && bins === undefined && isNormal === undefined) return null;
  return (
    <>
      {(isNumber || bins !== undefined) && (
        <Checkbox
          label={`${name.slice(0, 60)} in bins of equal width`}
          isOn={bins !== undefined}
          onChange={(isOn) => onChange(isOn ? { ...rest, histogram_bin_count: BINS_FIRST } : rest)}
        />
      )}
      {bins !== undefined && (
        <NumberField
          label="Bins"
          value={bins}
          min={1}
          max={BINS_MAX}
          onChange={(count) => count !== undefined && onChange({ ...part, histogram_bin_count: count })}
        />
      )}
      {(isUrl || isNormal !== undefined) && (
        <Checkbox
          label={`${name.slice(0, 60)} without “/”, “?” and “#” at the end`}
          isOn={isNormal === true}
          onChange={(isOn) => {
            const { normalize_url: _, ...without } = part;
            onChange(isOn ? { ...without, normalize_url: true } : without);
          }}
        />
      )}
    </>
  );
}
