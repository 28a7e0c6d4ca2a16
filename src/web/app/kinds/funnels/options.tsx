import { Dates } from "../../question/dates.tsx";
import { entityLabel } from "../../question/entities.ts";
import { CompareSelect, IntervalSelect } from "../../question/intervals.tsx";
import { Segments, Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { DisplayMenu } from "../parts/displayMenu.tsx";
import { type FunnelsNode, rangeOf, settled, shapeOf, withFilter } from "./node.ts";

const SHAPES = [
  { value: "steps", label: "Steps" },
  { value: "time_to_convert", label: "Time to convert" },
  { value: "trends", label: "Over time" },
] as const;

const LAYOUTS = [
  { value: "vertical", label: "Columns" },
  { value: "horizontal", label: "Rows" },
] as const;

/** The form of a funnel, and what belongs to it. */
export function FunnelOptions({ node, onChange }: FormProps<FunnelsNode>) {
  const shape = shapeOf(node);
  return (
    <>
      <Segments
        label="Shown as"
        value={shape}
        choices={SHAPES}
        onChange={(funnelVizType) => onChange(settled(withFilter(node, { funnelVizType })))}
      />
      <Dates value={node.dateRange} onChange={(dateRange) => onChange({ ...node, dateRange })} />
      {shape === "trends" && (
        <IntervalSelect value={node.interval} onChange={(interval) => onChange({ ...node, interval })} />
      )}
      <CompareSelect value={node.compareFilter} onChange={(compareFilter) => onChange({ ...node, compareFilter })} />
      {shape === "steps" ? (
        <Segments
          label="Steps beside or below each other"
          value={node.funnelsFilter?.layout ?? "vertical"}
          choices={LAYOUTS}
          onChange={(layout) => onChange(withFilter(node, { layout }))}
        />
      ) : (
        <Range node={node} onChange={onChange} />
      )}
      {shape === "time_to_convert" && (
        <DisplayMenu count={node.funnelsFilter?.binCount === undefined ? 0 : 1}>
          <NumberField
            label="Number of bars"
            value={node.funnelsFilter?.binCount}
            min={1}
            max={90}
            placeholder="Auto"
            onChange={(binCount) => onChange(withFilter(node, { binCount }))}
          />
        </DisplayMenu>
      )}
    </>
  );
}

/** From which step to which one. */
function Range({ node, onChange }: { node: FunnelsNode; onChange(node: FunnelsNode): void }) {
  const { from, to } = rangeOf(node);
  if (node.series.length < 3) return null;
  const choices = node.series.map((entity, i) => ({ value: i, label: `${i + 1}. ${entityLabel(entity)}` }));
  const set = (funnelFromStep: number, funnelToStep: number) =>
    onChange(withFilter(node, { funnelFromStep, funnelToStep }));
  return (
    <>
      <Select
        label="From"
        isLabelled
        value={from}
        choices={choices.slice(0, -1)}
        onChange={(step) => set(step, Math.max(to, step + 1))}
      />
      <Select
        label="to"
        isLabelled
        value={to}
        choices={choices.slice(1)}
        onChange={(step) => set(Math.min(from, step - 1), step)}
      />
    </>
  );
}
