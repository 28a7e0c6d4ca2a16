import { Dates } from "../../question/dates.tsx";
import { CompareSelect, IntervalSelect } from "../../question/intervals.tsx";
import { Checkbox, Select } from "../../ui/field.tsx";
import type { FormProps } from "../kind.ts";
import { DisplayMenu } from "../parts/displayMenu.tsx";
import { DISPLAYS, displayOf, withDisplay } from "./displays.ts";
import type { TrendsFilter, TrendsNode } from "./types.ts";
import { VALUE_FORMATS } from "./valueFormat.ts";

const SMOOTHINGS = [
  { value: 1, label: "None" },
  { value: 3, label: "3 intervals" },
  { value: 7, label: "7 intervals" },
  { value: 28, label: "28 intervals" },
];

/** Dates, interval, comparison and the form of the chart of a trend. */
export function TrendsOptions({ node, onChange }: FormProps<TrendsNode>) {
  const display = displayOf(node);
  const filter = node.trendsFilter ?? {};
  const set = (part: Partial<TrendsFilter>) => onChange({ ...node, trendsFilter: { ...filter, ...part } });
  const isTime = display.of === "time";
  const isStacked = display.name === "ActionsAreaGraph" || display.name === "ActionsBar";
  return (
    <>
      <Dates value={node.dateRange} onChange={(dateRange) => onChange({ ...node, dateRange })} fallback="Last 7 days" />
      {isTime && <IntervalSelect value={node.interval} onChange={(interval) => onChange({ ...node, interval })} />}
      {display.name !== "CalendarHeatmap" && (
        <CompareSelect value={node.compareFilter} onChange={(compareFilter) => onChange({ ...node, compareFilter })} />
      )}
      <Select
        label="Form of the chart"
        value={display.name}
        choices={DISPLAYS.map(({ name, label }) => ({ value: name, label }))}
        onChange={(name) => onChange(withDisplay(node, name))}
      />
      {display.name === "CalendarHeatmap" && node.series.length > 1 && (
        <span class="pale">It counts the first series.</span>
      )}
      <DisplayMenu count={countOf(filter)}>
        {isTime && (
          <Select
            label="Smoothing"
            isLabelled
            value={filter.smoothingIntervals ?? 1}
            choices={withOwn(filter.smoothingIntervals)}
            onChange={(value) => set({ smoothingIntervals: value === 1 ? undefined : value })}
          />
        )}
        <Select
          label="Unit"
          isLabelled
          value={filter.aggregationAxisFormat ?? "numeric"}
          choices={VALUE_FORMATS}
          onChange={(value) => set({ aggregationAxisFormat: value === "numeric" ? undefined : value })}
        />
        <Around
          label="Prefix"
          value={filter.aggregationAxisPrefix}
          onChange={(text) => set({ aggregationAxisPrefix: text })}
        />
        <Around
          label="Suffix"
          value={filter.aggregationAxisPostfix}
          onChange={(text) => set({ aggregationAxisPostfix: text })}
        />
        {isStacked && (
          <Checkbox
            label="As percentages of the whole"
            isOn={filter.showPercentStackView === true}
            onChange={(isOn) => set({ showPercentStackView: isOn || undefined })}
          />
        )}
      </DisplayMenu>
    </>
  );
}

/** A saved node may have any number. */
function withOwn(own: number | undefined) {
  if (own === undefined || SMOOTHINGS.some(({ value }) => value === own)) return SMOOTHINGS;
  return [...SMOOTHINGS, { value: own, label: `${own} intervals` }].sort((one, other) => one.value - other.value);
}

interface AroundProps {
  label: string;
  value: string | undefined;
  onChange(text: string | undefined): void;
}

const AROUND_MAX = 20;

/** A text beside every value, such as "€". */
function Around({ label, value = "", onChange }: AroundProps) {
  return (
    <label class="display-text">
      {label}
      <input
        class="input"
        maxLength={AROUND_MAX}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value || undefined)}
      />
    </label>
  );
}

/** How many of the rare options are set. */
const countOf = (filter: TrendsFilter): number =>
  [
    (filter.smoothingIntervals ?? 1) > 1,
    filter.aggregationAxisFormat !== undefined && filter.aggregationAxisFormat !== "numeric",
    Boolean(filter.aggregationAxisPrefix),
    Boolean(filter.aggregationAxisPostfix),
    filter.showPercentStackView === true,
  ].filter(Boolean).length;
