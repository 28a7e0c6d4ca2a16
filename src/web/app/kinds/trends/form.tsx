import { Breakdowns } from "../../question/breakdowns.tsx";
import { eventNames } from "../../question/entities.ts";
import { Formulas } from "../../question/formulas.tsx";
import { SeriesList } from "../../question/seriesList.tsx";
import type { FormProps } from "../kind.ts";
import { Filters } from "../parts/common.tsx";
import { Section } from "../parts/section.tsx";
import { displayOf } from "./displays.ts";
import { formulasOf, withFormulas } from "./formulas.ts";
import type { TrendsNode } from "./types.ts";

const SERIES_MAX = 26;
const BREAKDOWNS_MAX = 3;
/** Of a map as many values as there are countries are told apart, of others 25. */
const COUNTRIES_MAX = 250;

/** Series, formulas, filters and breakdowns of a trend. */
export function TrendsForm({ projectId, node, onChange }: FormProps<TrendsNode>) {
  const events = eventNames(node.series);
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
        <Formulas
          formulas={formulasOf(node)}
          seriesCount={node.series.length}
          onChange={(formulas) => onChange(withFormulas(node, formulas))}
        />
      </Section>
      <Filters projectId={projectId} node={node} onChange={onChange} />
      <Section title="Breakdown">
        <Breakdowns
          projectId={projectId}
          value={node.breakdownFilter}
          onChange={(breakdownFilter) => onChange({ ...node, breakdownFilter })}
          max={BREAKDOWNS_MAX}
          events={events}
          defaultLimit={displayOf(node).name === "WorldMap" ? COUNTRIES_MAX : undefined}
        />
      </Section>
    </div>
  );
}
