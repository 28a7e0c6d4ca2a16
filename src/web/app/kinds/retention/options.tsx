import { Dates } from "../../question/dates.tsx";
import { Segments, Select } from "../../ui/field.tsx";
import type { FormProps } from "../kind.ts";
import { NumberField } from "../parts/numberField.tsx";
import { fallbackOf } from "./labels.ts";
import {
  DEFAULT_INTERVALS,
  isLines,
  LINES,
  MAX_INTERVALS,
  type Period,
  type RetentionFilter,
  type RetentionNode,
  withFilter,
} from "./node.ts";

const PERIODS: readonly { value: Period; label: string }[] = [
  { value: "Hour", label: "Hours" },
  { value: "Day", label: "Days" },
  { value: "Week", label: "Weeks" },
  { value: "Month", label: "Months" },
];

const SHAPES = [
  { value: "grid", label: "Grid" },
  { value: "lines", label: "Lines" },
] as const;

const REFERENCES = [
  { value: "total", label: "Shares of the cohort" },
  { value: "previous", label: "Shares of the column before" },
] as const;

const MEANS = [
  { value: "simple", label: "Average of cohorts" },
  { value: "weighted", label: "Average weighted by size" },
  { value: "none", label: "No average" },
] as const;

/** Dates, intervals and the form of retention. */
export function RetentionOptions({ node, onChange }: FormProps<RetentionNode>) {
  const filter = node.retentionFilter;
  const set = (change: Partial<RetentionFilter>) => onChange(withFilter(node, change));
  const isCounted = (filter.aggregationType ?? "count") === "count";
  return (
    <>
      <Segments
        label="Shown as"
        value={isLines(node) ? "lines" : "grid"}
        choices={SHAPES}
        onChange={(shape) => set({ display: shape === "lines" ? LINES : undefined })}
      />
      <Dates
        value={node.dateRange}
        fallback={fallbackOf(node)}
        onChange={(dateRange) => onChange({ ...node, dateRange })}
      />
      {!filter.retentionCustomBrackets?.length && (
        <NumberField
          label="Columns"
          value={filter.totalIntervals ?? DEFAULT_INTERVALS}
          min={1}
          max={MAX_INTERVALS}
          onChange={(totalIntervals) => totalIntervals !== undefined && set({ totalIntervals })}
        />
      )}
      <Select
        label="Width of an interval"
        value={filter.period ?? "Day"}
        choices={PERIODS}
        onChange={(period) => set({ period })}
      />
      {isCounted && (
        <Select
          label="Shares"
          value={filter.retentionReference ?? "total"}
          choices={REFERENCES}
          onChange={(retentionReference) => set({ retentionReference })}
        />
      )}
      {isCounted && (
        <Select
          label="Average"
          value={filter.meanRetentionCalculation ?? "simple"}
          choices={MEANS}
          onChange={(meanRetentionCalculation) => set({ meanRetentionCalculation })}
        />
      )}
    </>
  );
}
