import { Checkbox } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { CountedSection, Filters } from "../parts/common.tsx";
import { DraftText } from "../parts/draftText.tsx";
import { Fields, More, Section } from "../parts/section.tsx";
import { TextList } from "../parts/textList.tsx";
import { CleaningRules } from "./cleaning.tsx";
import { FunnelPaths } from "./funnelPaths.tsx";
import { type ItemType, type PathsFilter, type PathsNode, withFilter } from "./node.ts";
import { usePoints } from "./points.ts";

const TYPES: readonly { value: ItemType; label: string }[] = [
  { value: "$pageview", label: "Page views" },
  { value: "$screen", label: "Screen views" },
  { value: "custom_event", label: "Custom events" },
  { value: "hogql", label: "SQL expression" },
];

const MAX_TEXTS = 200;

/** What steps are where no type is chosen (docs/queries.md, "PathsQuery"). */
const hintOfAll = ({ pathsHogQLExpression: sql }: PathsFilter): string =>
  `All events: page views by their URL, screen views by their screen name, others by ${sql ? "the SQL expression" : "their name"}.`;

/** What paths ask. */
export function PathsForm(props: FormProps<PathsNode>) {
  const { projectId, node, onChange } = props;
  const filter = node.pathsFilter ?? {};
  const set = (change: Partial<PathsFilter>) => onChange(withFilter(node, change));
  return (
    <div class="kind-form">
      {node.funnelPathsFilter && (
        <FunnelPaths
          value={node.funnelPathsFilter}
          onChange={(funnelPathsFilter) => onChange({ ...node, funnelPathsFilter })}
        />
      )}
      <Section title="Steps" hint={filter.includeEventTypes?.length ? undefined : hintOfAll(filter)}>
        <Types filter={filter} onChange={set} />
      </Section>
      <Points projectId={projectId} filter={filter} onChange={set} />
      <CountedSection {...props} />
      <Filters projectId={projectId} node={node} onChange={onChange} />
      <Section title="Group steps" hint="All steps that match a pattern become one. * stands for any text.">
        <TextList
          label="Pattern"
          placeholder="/products/*"
          addLabel="Add"
          values={filter.pathGroupings ?? []}
          max={MAX_TEXTS}
          onChange={(pathGroupings) => set({ pathGroupings: pathGroupings.length > 0 ? pathGroupings : undefined })}
        />
      </Section>
      <Section title="Exclude steps">
        <TextList
          label="Step to exclude"
          placeholder="/login"
          addLabel="Add"
          values={filter.excludeEvents ?? []}
          max={MAX_TEXTS}
          onChange={(excludeEvents) => set({ excludeEvents: excludeEvents.length > 0 ? excludeEvents : undefined })}
        />
      </Section>
      <CleaningRules filter={filter} onChange={set} />
      <Weights filter={filter} onChange={set} />
    </div>
  );
}

interface PartProps {
  filter: PathsFilter;
  onChange(change: Partial<PathsFilter>): void;
}

function Types({ filter, onChange }: PartProps) {
  const chosen = filter.includeEventTypes ?? [];
  const isBySql = chosen.includes("hogql") || (chosen.length === 0 && Boolean(filter.pathsHogQLExpression));
  const set = (type: ItemType, isOn: boolean) => {
    const next = TYPES.map(({ value }) => value).filter((one) => (one === type ? isOn : chosen.includes(one)));
    onChange({ includeEventTypes: next.length > 0 ? next : undefined });
  };
  return (
    <>
      <Fields>
        {TYPES.map(({ value, label }) => (
          <Checkbox key={value} label={label} isOn={chosen.includes(value)} onChange={(isOn) => set(value, isOn)} />
        ))}
      </Fields>
      {isBySql && (
        <DraftText
          label="The step of an event"
          value={filter.pathsHogQLExpression ?? ""}
          placeholder="properties.$pathname"
          isCode
          onChange={(text) => onChange({ pathsHogQLExpression: text === "" ? undefined : text })}
        />
      )}
    </>
  );
}

/** Where paths begin and end. */
function Points({ projectId, filter, onChange }: PartProps & { projectId: number }) {
  const points = usePoints(projectId, filter);
  return (
    <Section title="Start and end">
      <DraftText
        label="Starts at"
        value={filter.startPoint ?? ""}
        placeholder="Any step"
        suggestions={points}
        onChange={(text) => onChange({ startPoint: text === "" ? undefined : text })}
      />
      <DraftText
        label="Ends at"
        value={filter.endPoint ?? ""}
        placeholder="Any step"
        suggestions={points}
        onChange={(text) => onChange({ endPoint: text === "" ? undefined : text })}
      />
    </Section>
  );
}

/** Paths that are taken more rarely or more often are not shown. */
function Weights({ filter, onChange }: PartProps) {
  const { minEdgeWeight: min, maxEdgeWeight: max } = filter;
  return (
    <More title="How often a path is taken" isSet={Boolean(min) || Boolean(max)}>
      <Fields>
        <NumberField
          label="At least"
          value={min}
          min={0}
          max={1_000_000_000}
          unit="times"
          onChange={(minEdgeWeight) => onChange({ minEdgeWeight })}
        />
        <NumberField
          label="At most"
          value={max}
          min={0}
          max={1_000_000_000}
          unit="times"
          onChange={(maxEdgeWeight) => onChange({ maxEdgeWeight })}
        />
      </Fields>
    </More>
  );
}
