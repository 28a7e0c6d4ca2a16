import { Dates } from "../../question/dates.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { DEFAULT_EDGES, DEFAULT_STEPS, type PathsNode, withFilter } from "./node.ts";

/** Dates, and how much of the paths is shown. */
export function PathsOptions({ node, onChange }: FormProps<PathsNode>) {
  const filter = node.pathsFilter ?? {};
  return (
    <>
      <Dates value={node.dateRange} fallback="Last 7 days" onChange={(dateRange) => onChange({ ...node, dateRange })} />
      <NumberField
        label="Steps"
        value={filter.stepLimit ?? DEFAULT_STEPS}
        min={2}
        max={100}
        onChange={(stepLimit) => onChange(withFilter(node, { stepLimit }))}
      />
      <NumberField
        label="Paths"
        value={filter.edgeLimit ?? DEFAULT_EDGES}
        min={1}
        max={1000}
        onChange={(edgeLimit) => onChange(withFilter(node, { edgeLimit }))}
      />
      <Checkbox
        label="Full URLs"
        isOn={filter.showFullUrls === true}
        onChange={(isOn) => onChange(withFilter(node, { showFullUrls: isOn || undefined }))}
      />
    </>
  );
}
