import { useState } from "preact/hooks";
import { PropertyPicker } from "../../question/propertyPicker.tsx";
import { Select } from "../../ui/field.tsx";
import { Fields } from "../parts/section.tsx";
import type { RetentionFilter } from "./node.ts";

const TYPES = [
  { value: "count", label: "Number of people" },
  { value: "sum", label: "Sum of a property" },
  { value: "avg", label: "Average of a property" },
] as const;

const NOTHING = { aggregationType: undefined, aggregationProperty: undefined, aggregationPropertyType: undefined };
/** What sums and averages cannot be asked with. */
const EXCLUDED = { cumulative: undefined, timeWindowMode: undefined };

interface AggregationProps {
  projectId: number;
  filter: RetentionFilter;
  onChange(change: Partial<RetentionFilter>): void;
}

/** What a cell shows: people, or a property of what they did. */
export function Aggregation({ projectId, filter, onChange }: AggregationProps) {
  const [wanted, setWanted] = useState<"sum" | "avg" | null>(null);
  const type = wanted ?? filter.aggregationType ?? "count";
  const event = filter.returningEntity?.id;
  const choose = (next: "count" | "sum" | "avg") => {
    // Without a property there is nothing to ask yet.
    setWanted(next === "count" || filter.aggregationProperty !== undefined ? null : next);
    if (next === "count") onChange(NOTHING);
    else if (filter.aggregationProperty !== undefined) onChange({ ...EXCLUDED, aggregationType: next });
  };
  return (
    <Fields>
      <Select label="A cell shows" isLabelled value={type} choices={TYPES} onChange={choose} />
      {type !== "count" && (
        <PropertyPicker
          projectId={projectId}
          label="Property"
          value={
            filter.aggregationProperty === undefined
              ? null
              : { type: filter.aggregationPropertyType ?? "event", key: filter.aggregationProperty }
          }
          types={["event", "person"]}
          events={typeof event === "string" ? [event] : undefined}
          isNumeric
          onChange={({ type: of, key }) => {
            setWanted(null);
            onChange({
              ...EXCLUDED,
              aggregationType: type,
              aggregationProperty: key,
              aggregationPropertyType: of === "person" ? "person" : "event",
            });
          }}
        />
      )}
    </Fields>
  );
}
