import { Dates } from "../../question/dates.tsx";
import { CompareSelect, IntervalSelect } from "../../question/intervals.tsx";
import { Checkbox, Segments } from "../../ui/field.tsx";
import type { FormProps } from "../kind.ts";
import { LINES, type StickinessNode, withFilter } from "./node.ts";

const SHAPES = [
  { value: "bar", label: "Bars" },
  { value: "line", label: "Lines" },
] as const;

/** Dates, intervals and the form of stickiness. */
export function StickinessOptions({ node, onChange }: FormProps<StickinessNode>) {
  const filter = node.stickinessFilter ?? {};
  return (
    <>
      <Segments
        label="Shown as"
        value={filter.display === LINES ? "line" : "bar"}
        choices={SHAPES}
        onChange={(shape) => onChange(withFilter(node, { display: shape === "line" ? LINES : undefined }))}
      />
      <Dates value={node.dateRange} fallback="Last 7 days" onChange={(dateRange) => onChange({ ...node, dateRange })} />
      <IntervalSelect value={node.interval} onChange={(interval) => onChange({ ...node, interval })} />
      <CompareSelect value={node.compareFilter} onChange={(compareFilter) => onChange({ ...node, compareFilter })} />
      <Checkbox
        label="Cumulative"
        isOn={filter.computedAs === "cumulative"}
        onChange={(isOn) => onChange(withFilter(node, { computedAs: isOn ? "cumulative" : undefined }))}
      />
    </>
  );
}
