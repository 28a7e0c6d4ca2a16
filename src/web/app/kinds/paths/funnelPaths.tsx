import { entityLabel } from "../../question/entities.ts";
import type { EntityNode } from "../../question/types.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Fields, Section } from "../parts/section.tsx";
import type { FunnelPathsFilter } from "./node.ts";

const TYPES = [
  { value: "funnel_path_before_step", label: "Before" },
  { value: "funnel_path_between_steps", label: "Leading to" },
  { value: "funnel_path_after_step", label: "After" },
] as const;

interface FunnelPathsProps {
  value: FunnelPathsFilter;
  onChange(value: FunnelPathsFilter | undefined): void;
}

/** Of which people of a funnel the paths are, where a question was made from one. */
export function FunnelPaths({ value, onChange }: FunnelPathsProps) {
  const series = (value.funnelSource.series ?? []) as readonly EntityNode[];
  const steps = series.flatMap((entity, i) => {
    const name = entityLabel(entity);
    const came = { value: i + 1, label: `step ${i + 1}, ${name}` };
    return i === 0 ? [came] : [came, { value: -(i + 1), label: `drop-off before step ${i + 1}, ${name}` }];
  });
  return (
    <Section title="People of a funnel">
      <Fields>
        <Select
          label="Which part of the paths"
          value={value.funnelPathType}
          choices={TYPES}
          onChange={(funnelPathType) => onChange({ ...value, funnelPathType })}
        />
        <Select
          label="Step of the funnel"
          value={value.funnelStep}
          choices={steps}
          onChange={(funnelStep) => onChange({ ...value, funnelStep })}
        />
        <Button look="quiet" onClick={() => onChange(undefined)}>
          All people
        </Button>
      </Fields>
    </Section>
  );
}
