import { PropertyPicker } from "../../question/propertyPicker.tsx";
import { Select } from "../../ui/field.tsx";
import { Fields } from "../parts/section.tsx";
import type { RetentionFilter } from "./node.ts";

const TYPES = [
  { value: "count", label: "Number of people" },
  { value: "sum", label: "Sum of a property" },
  { value: "avg", label: "Average of a property" },
] as const;

interface AggregationProps {
  projectId: number;
  filter: RetentionFilter;
  onChange(change: Partial<RetentionFilter>): void;
}

/** What a cell shows: people, or a property of what they did. */
export function Aggregation({ projectId, filter, onChange }: AggregationProps) {
  const type = filter.aggregationType ?? "count";
  const event = filter.returningEntity?.id;
  return (
    <Fields>
      <Select
        label="A cell shows"
        isLabelled
        value={type}
        choices={TYPES}
        onChange={(next) =>
          onChange(
            next === "count"
              ? { aggregationType: undefined, aggregationProperty: undefined, aggregationPropertyType: undefined }
              : { aggregationType: next, cumulative: undefined, timeWindowMode: undefined },
          )
        }
      />
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
          onChange={({ type: of, key }) =>
            onChange({ aggregationProperty: key, aggregationPropertyType: of === "person" ? "person" : "event" })
          }
        />
      )}
    </Fields>
  );
}
