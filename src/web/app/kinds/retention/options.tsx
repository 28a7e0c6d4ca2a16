import { Dates } from "../../question/dates.tsx";
import { Segments, Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { DisplayMenu } from "../parts/displayMenu.tsx";
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
  { value: "total", label: "of the cohort" },
  { value: "previous", label: "of the column before" },
] as const;

const MEANS = [
  { value: "simple", label: "of the cohorts alike" },
  { value: "weighted", label: "by the size of cohorts" },
  { value: "none", label: "none" },
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
        <DisplayMenu count={countOf(filter)}>
          <Select
            label="Shares"
            isLabelled
            value={filter.retentionReference ?? "total"}
            choices={REFERENCES}
            onChange={(retentionReference) => set({ retentionReference })}
          />
          <Select
            label="Average"
            isLabelled
            value={filter.meanRetentionCalculation ?? "simple"}
            choices={MEANS}
            onChange={(meanRetentionCalculation) => set({ meanRetentionCalculation })}
          />
        </DisplayMenu>
      )}
    </>
  );
}

/** How many of the rare options are set. */
const countOf = ({ retentionReference: reference, meanRetentionCalculation: mean }: RetentionFilter): number =>
  Number((reference ?? "total") !== "total") + Number((mean ?? "simple") !== "simple");
