import { CommonFilters } from "../../question/commonFilters.tsx";
import { AggregationSelect } from "../../question/intervals.tsx";
import { SeriesList } from "../../question/seriesList.tsx";
import type { FormProps } from "../kind.ts";
import { Section } from "../parts/section.tsx";
import type { LifecycleNode } from "./node.ts";

/** What a lifecycle asks: one series. */
export function LifecycleForm({ projectId, node, onChange }: FormProps<LifecycleNode>) {
  return (
    <div class="kind-form">
      <Section title="Active means">
        <SeriesList
          projectId={projectId}
          series={node.series}
          onChange={(series) => onChange({ ...node, series })}
          marks="letters"
          hasMath={false}
          max={1}
          addLabel="Add series"
        />
      </Section>
      <Section title="Counted">
        <AggregationSelect
          projectId={projectId}
          value={node.aggregation_group_type_index}
          onChange={(index) => onChange({ ...node, aggregation_group_type_index: index })}
        />
      </Section>
      <Section title="Filters">
        <CommonFilters projectId={projectId} node={node} onChange={(next) => onChange(next as LifecycleNode)} />
      </Section>
    </div>
  );
}
