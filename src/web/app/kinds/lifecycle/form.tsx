import { SeriesList } from "../../question/seriesList.tsx";
import type { FormProps } from "../kind.ts";
import { Counted, Filters } from "../parts/common.tsx";
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
        <Counted projectId={projectId} node={node} onChange={onChange} />
      </Section>
      <Filters projectId={projectId} node={node} onChange={onChange} />
    </div>
  );
}
