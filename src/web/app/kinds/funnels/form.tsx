import { Breakdowns } from "../../question/breakdowns.tsx";
import { entityLabel, eventNames } from "../../question/entities.ts";
import { SeriesList } from "../../question/seriesList.tsx";
import type { EntityNode } from "../../question/types.ts";
import { Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { Counted, Filters } from "../parts/common.tsx";
import { DraftText } from "../parts/draftText.tsx";
import { Fields, More, Section } from "../parts/section.tsx";
import { Exclusions } from "./exclusions.tsx";
import { DEFAULT_WINDOW, type FunnelsFilter, type FunnelsNode, settled, shapeOf, withFilter } from "./node.ts";

const MAX_STEPS = 30;

const ORDERS = [
  { value: "ordered", label: "In order" },
  { value: "strict", label: "In order, nothing between" },
  { value: "unordered", label: "In any order" },
] as const;

const UNITS = ["second", "minute", "hour", "day", "week", "month"] as const;

/** What a funnel asks. */
export function FunnelForm(props: FormProps<FunnelsNode>) {
  const { projectId, node, onChange } = props;
  const filter = node.funnelsFilter ?? {};
  const set = (change: Partial<FunnelsFilter>) => onChange(settled(withFilter(node, change)));
  return (
    <div class="kind-form">
      <Section title="Steps">
        <SeriesList
          projectId={projectId}
          series={node.series}
          onChange={(series) => onChange(settled({ ...node, series }))}
          marks="numbers"
          hasMath={false}
          max={MAX_STEPS}
          addLabel="Add step"
          toggles={togglesOf(node)}
        />
      </Section>
      <Section title="Conversion">
        <Fields>
          <Counted projectId={projectId} node={node} onChange={onChange} />
          <Select
            label="Order of the steps"
            value={filter.funnelOrderType ?? "ordered"}
            choices={ORDERS}
            onChange={(funnelOrderType) => set({ funnelOrderType })}
          />
        </Fields>
        <Window filter={filter} onChange={set} />
      </Section>
      <Filters projectId={projectId} node={node} onChange={onChange} />
      {shapeOf(node) !== "time_to_convert" && <Breakdown {...props} set={set} />}
      <Exclusions {...props} />
      <More title="Advanced" isSet={Boolean(filter.funnelAggregateByHogQL)}>
        <DraftText
          label="SQL expression to count instead of people"
          value={filter.funnelAggregateByHogQL ?? ""}
          placeholder="properties.$session_id"
          isCode
          onChange={(text) => set({ funnelAggregateByHogQL: text === "" ? undefined : text })}
        />
      </More>
    </div>
  );
}

function Window({ filter, onChange }: { filter: FunnelsFilter; onChange(change: Partial<FunnelsFilter>): void }) {
  const count = filter.funnelWindowInterval ?? DEFAULT_WINDOW.count;
  return (
    <Fields>
      <NumberField
        label="Within"
        value={count}
        min={1}
        max={1000}
        onChange={(funnelWindowInterval) => funnelWindowInterval !== undefined && onChange({ funnelWindowInterval })}
      />
      <Select
        label="Unit of the time to convert"
        value={filter.funnelWindowIntervalUnit ?? DEFAULT_WINDOW.unit}
        choices={UNITS.map((value) => ({ value, label: count === 1 ? value : `${value}s` }))}
        onChange={(funnelWindowIntervalUnit) => onChange({ funnelWindowIntervalUnit })}
      />
      <span>from the first step</span>
    </Fields>
  );
}

function Breakdown({
  projectId,
  node,
  onChange,
  set,
}: FormProps<FunnelsNode> & { set(change: Partial<FunnelsFilter>): void }) {
  return (
    <Section title="Breakdown">
      <Breakdowns
        projectId={projectId}
        value={node.breakdownFilter}
        onChange={(breakdownFilter) => onChange({ ...node, breakdownFilter })}
        max={3}
        events={eventNames(node.series)}
      />
      {node.breakdownFilter !== undefined && <Attribution node={node} set={set} />}
    </Section>
  );
}

/** Which value somebody has. */
function Attribution({ node, set }: { node: FunnelsNode; set(change: Partial<FunnelsFilter>): void }) {
  const { breakdownAttributionType: type, breakdownAttributionValue: step, funnelOrderType } = node.funnelsFilter ?? {};
  const steps =
    funnelOrderType === "unordered"
      ? [{ value: "step:0", label: "Value of the event that begins" }]
      : node.series.map((entity, i) => ({
          value: `step:${i}`,
          label: `Value at step ${i + 1}, ${entityLabel(entity)}`,
        }));
  return (
    <Select
      label="Which value somebody has"
      value={type === "step" ? `step:${step ?? 0}` : (type ?? "first_touch")}
      choices={[
        { value: "first_touch", label: "First value of each person" },
        { value: "last_touch", label: "Last value of each person" },
        { value: "all_events", label: "All steps with the same value" },
        ...steps,
      ]}
      onChange={(choice) => {
        const [kind, number] = choice.split(":");
        set({
          breakdownAttributionType: kind as FunnelsFilter["breakdownAttributionType"],
          breakdownAttributionValue: number === undefined ? undefined : Number(number),
        });
      }}
    />
  );
}

const FIRST = "first_time_for_user";
const FIRST_MATCHING = "first_time_for_user_with_filters";

const withMath = (entity: EntityNode, math: string | undefined): EntityNode => {
  const { math: _, ...rest } = entity;
  return math === undefined ? rest : { ...rest, math };
};

/** What else a step can be. */
function togglesOf(node: FunnelsNode) {
  const canSkip = shapeOf(node) === "steps" && node.funnelsFilter?.funnelOrderType !== "unordered";
  const optional = {
    label: "Optional step",
    isOn: (entity: EntityNode) => entity.optionalInFunnel === true,
    set: (entity: EntityNode, isOn: boolean): EntityNode => {
      const { optionalInFunnel: _, ...rest } = entity;
      return isOn ? { ...rest, optionalInFunnel: true } : rest;
    },
  };
  const first = (label: string, math: string) => ({
    label,
    isOn: (entity: EntityNode) => entity.math === math,
    set: (entity: EntityNode, isOn: boolean) => withMath(entity, isOn ? math : undefined),
  });
  return [
    ...(canSkip ? [optional] : []),
    first("First time ever", FIRST),
    first("First time with these filters", FIRST_MATCHING),
  ];
}
