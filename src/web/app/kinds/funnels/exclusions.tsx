import { EventPicker } from "../../question/eventPicker.tsx";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import type { EntityNode } from "../../question/types.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import type { FormProps } from "../kind.ts";
import { Section } from "../parts/section.tsx";
import { type Exclusion, type FunnelsNode, withFilter } from "./node.ts";

const MAX_EXCLUSIONS = 30;
const NOTHING: EntityNode = { kind: "EventsNode", event: "$exception" };

/** Events that end an attempt. */
export function Exclusions({ projectId, node, onChange }: FormProps<FunnelsNode>) {
  const exclusions = node.funnelsFilter?.exclusions ?? [];
  const last = node.series.length - 1;
  const set = (next: readonly Exclusion[]) =>
    onChange(withFilter(node, { exclusions: next.length > 0 ? next : undefined }));
  if (last < 1) return null;
  return (
    <Section title="Exclude">
      {exclusions.map((exclusion, i) => (
        <ExclusionRow
          key={i}
          projectId={projectId}
          exclusion={exclusion}
          last={last}
          hasRange={node.funnelsFilter?.funnelOrderType !== "unordered" && last > 1}
          onChange={(next) => set(exclusions.map((one, at) => (at === i ? next : one)))}
          onRemove={() => set(exclusions.filter((_, at) => at !== i))}
        />
      ))}
      {exclusions.length < MAX_EXCLUSIONS && (
        <Button
          look="quiet"
          icon="plus"
          onClick={() => set([...exclusions, { ...NOTHING, funnelFromStep: 0, funnelToStep: last }])}
        >
          Add exclusion
        </Button>
      )}
    </Section>
  );
}

interface RowProps {
  projectId: number;
  exclusion: Exclusion;
  last: number;
  hasRange: boolean;
  onChange(exclusion: Exclusion): void;
  onRemove(): void;
}

function ExclusionRow({ projectId, exclusion, last, hasRange, onChange, onRemove }: RowProps) {
  const { funnelFromStep: from, funnelToStep: to } = exclusion;
  const range = { funnelFromStep: from, funnelToStep: to };
  const steps = Array.from({ length: last + 1 }, (_, i) => ({ value: i, label: `step ${i + 1}` }));
  return (
    <div class="kind-row">
      <EventPicker
        projectId={projectId}
        label="Excluded event"
        value={exclusion}
        onChange={(entity) => onChange({ ...entity, ...range })}
      />
      {hasRange && (
        <>
          <Select
            label="between"
            isLabelled
            value={from}
            choices={steps.slice(0, -1)}
            onChange={(step) => onChange({ ...exclusion, funnelFromStep: step, funnelToStep: Math.max(to, step + 1) })}
          />
          <Select
            label="and"
            isLabelled
            value={to}
            choices={steps.slice(1)}
            onChange={(step) =>
              onChange({ ...exclusion, funnelFromStep: Math.min(from, step - 1), funnelToStep: step })
            }
          />
        </>
      )}
      <IconButton label="Remove exclusion" icon="close" onClick={onRemove} />
      <PropertyFilters
        projectId={projectId}
        isFlat
        value={exclusion.properties}
        events={exclusion.event ? [exclusion.event] : undefined}
        onChange={(group) => onChange({ ...exclusion, properties: group?.values.flatMap(({ values }) => values) })}
      />
    </div>
  );
}
