import { Breakdowns } from "../../question/breakdowns.tsx";
import { CommonFilters } from "../../question/commonFilters.tsx";
import { SeriesList } from "../../question/seriesList.tsx";
import type { FormProps } from "../kind.ts";
import { Section } from "../parts/section.tsx";
import { Formulas } from "./formulas.tsx";
import type { TrendsNode } from "./types.ts";

const SERIES_MAX = 26;
const BREAKDOWNS_MAX = 3;

/** Series, formulas, filters and breakdowns of a trend. */
export function TrendsForm({ projectId, node, onChange }: FormProps<TrendsNode>) {
  const events = node.series.flatMap(({ kind, event }) => (kind === "EventsNode" && event ? [event] : []));
  return (
    <div class="kind-form">
      <Section title="Series">
        <SeriesList
          projectId={projectId}
          series={node.series}
          onChange={(series) => onChange({ ...node, series })}
          marks="letters"
          hasMath
          max={SERIES_MAX}
          addLabel="Add series"
        />
        <Formulas node={node} onChange={onChange} />
      </Section>
      <Section title="Filters">
        <CommonFilters projectId={projectId} node={node} onChange={(next) => onChange(next as TrendsNode)} />
      </Section>
      <Section title="Breakdown">
        <Breakdowns
          projectId={projectId}
          value={node.breakdownFilter}
          onChange={(breakdownFilter) => onChange({ ...node, breakdownFilter })}
          max={BREAKDOWNS_MAX}
          events={events}
        />
      </Section>
    </div>
  );
}
