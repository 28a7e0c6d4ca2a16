import { SeriesList } from "../../question/seriesList.tsx";
import { Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { Counted, Filters } from "../parts/common.tsx";
import { Fields, More, Section } from "../parts/section.tsx";
import { type StickinessNode, withFilter } from "./node.ts";

const MAX_SERIES = 26;

const OPERATORS = [
  { value: "gte", label: "at least" },
  { value: "exact", label: "exactly" },
  { value: "lte", label: "at most" },
] as const;

/** What stickiness asks. */
export function StickinessForm({ projectId, node, onChange }: FormProps<StickinessNode>) {
  return (
    <div class="kind-form">
      <Section title="Series">
        <SeriesList
          projectId={projectId}
          series={node.series}
          onChange={(series) => onChange({ ...node, series })}
          marks="letters"
          hasMath={false}
          max={MAX_SERIES}
          addLabel="Add series"
        />
      </Section>
      <Section title="Counted">
        <Counted projectId={projectId} node={node} onChange={onChange} />
        <Criteria node={node} onChange={onChange} />
      </Section>
      <Filters projectId={projectId} node={node} onChange={onChange} />
      <More title="Interval length" isSet={(node.intervalCount ?? 1) > 1}>
        <NumberField
          label="One interval is"
          value={node.intervalCount ?? 1}
          min={1}
          max={10_000}
          unit={`${node.interval ?? "day"}${(node.intervalCount ?? 1) === 1 ? "" : "s"}`}
          onChange={(intervalCount) => onChange({ ...node, intervalCount })}
        />
      </More>
    </div>
  );
}

/** How many events make somebody active in an interval. */
function Criteria({ node, onChange }: Pick<FormProps<StickinessNode>, "node" | "onChange">) {
  const { operator, value } = node.stickinessFilter?.stickinessCriteria ?? { operator: "gte" as const, value: 1 };
  const set = (stickinessCriteria: { operator: "gte" | "lte" | "exact"; value: number }) => {
    const isPlain = stickinessCriteria.operator === "gte" && stickinessCriteria.value === 1;
    onChange(withFilter(node, { stickinessCriteria: isPlain ? undefined : stickinessCriteria }));
  };
  return (
    <Fields>
      <Select
        label="Active with"
        isLabelled
        value={operator}
        choices={OPERATORS}
        onChange={(next) => set({ operator: next, value })}
      />
      <NumberField
        label="Events in an interval"
        isQuiet
        value={value}
        min={1}
        max={1_000_000}
        unit={value === 1 ? "event" : "events"}
        onChange={(next) => next !== undefined && set({ operator, value: next })}
      />
    </Fields>
  );
}
