import { Breakdowns } from "../../question/breakdowns.tsx";
import { EventPicker } from "../../question/eventPicker.tsx";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { Checkbox, Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import type { FormProps } from "../kind.ts";
import { Counted, Filters } from "../parts/common.tsx";
import { Fields, More, Section } from "../parts/section.tsx";
import { Aggregation } from "./aggregation.tsx";
import { Brackets } from "./brackets.tsx";
import {
  entityNode,
  type RetentionEntity,
  type RetentionFilter,
  type RetentionNode,
  retentionEntity,
  withFilter,
} from "./node.ts";

const TYPES = [
  { value: "retention_recurring", label: "each time" },
  { value: "retention_first_time", label: "for the first time" },
  { value: "retention_first_ever_occurrence", label: "first ever, if it fits the filters" },
] as const;

const WINDOWS = [
  { value: "strict_calendar_dates", label: "Calendar intervals" },
  { value: "24_hour_windows", label: "From the first event on" },
] as const;

/** What retention asks. */
export function RetentionForm(props: FormProps<RetentionNode>) {
  const { projectId, node, onChange } = props;
  const filter = node.retentionFilter;
  const set = (change: Partial<RetentionFilter>) => onChange(withFilter(node, change));
  return (
    <div class="kind-form">
      <Section title="People who did">
        <Entity
          projectId={projectId}
          label="What begins"
          entity={filter.targetEntity}
          onChange={(targetEntity) => set({ targetEntity })}
        />
        <Select
          label="Which time begins"
          value={filter.retentionType ?? "retention_recurring"}
          choices={TYPES}
          onChange={(retentionType) => set({ retentionType })}
        />
      </Section>
      <Section title="Came back and did">
        <Entity
          projectId={projectId}
          label="What counts as coming back"
          entity={filter.returningEntity}
          onChange={(returningEntity) => set({ returningEntity })}
        />
        <NumberField
          label="at least"
          value={filter.minimumOccurrences ?? 1}
          min={1}
          max={1_000_000}
          unit={(filter.minimumOccurrences ?? 1) === 1 ? "time" : "times"}
          onChange={(minimumOccurrences) => set({ minimumOccurrences })}
        />
      </Section>
      <Section title="Counted">
        <Counted projectId={projectId} node={node} onChange={onChange} />
        <Windows filter={filter} onChange={set} />
      </Section>
      <Filters projectId={projectId} node={node} onChange={onChange} />
      <Section title="Breakdown">
        <Breakdowns
          projectId={projectId}
          value={node.breakdownFilter}
          onChange={(breakdownFilter) => onChange({ ...node, breakdownFilter })}
          max={3}
          events={typeof filter.targetEntity?.id === "string" ? [filter.targetEntity.id] : undefined}
        />
      </Section>
      <More
        title="Columns and values"
        isSet={Boolean(filter.retentionCustomBrackets?.length) || filter.aggregationProperty !== undefined}
      >
        <Brackets filter={filter} onChange={set} />
        <Aggregation projectId={projectId} filter={filter} onChange={set} />
      </More>
    </div>
  );
}

interface EntityProps {
  projectId: number;
  label: string;
  entity: RetentionEntity | undefined;
  onChange(entity: RetentionEntity): void;
}

function Entity({ projectId, label, entity, onChange }: EntityProps) {
  const node = entityNode(entity);
  return (
    <>
      <EventPicker
        projectId={projectId}
        label={label}
        value={node}
        onChange={(next) => onChange(retentionEntity(next))}
      />
      <PropertyFilters
        projectId={projectId}
        isFlat
        value={node.properties}
        events={node.event ? [node.event] : undefined}
        onChange={(group) =>
          onChange(retentionEntity({ ...node, properties: group?.values.flatMap(({ values }) => values) }))
        }
      />
    </>
  );
}

/** How intervals are told, and whether those count who come back only later. The two exclude each other. */
function Windows({ filter, onChange }: { filter: RetentionFilter; onChange(change: Partial<RetentionFilter>): void }) {
  const isRolling = filter.timeWindowMode === "24_hour_windows";
  const isSummed = (filter.aggregationType ?? "count") !== "count";
  return (
    <Fields>
      {!filter.cumulative && !isSummed && (
        <Select
          label="How intervals are told"
          value={filter.timeWindowMode ?? "strict_calendar_dates"}
          choices={WINDOWS}
          onChange={(timeWindowMode) => onChange({ timeWindowMode })}
        />
      )}
      {!isRolling && !isSummed && (
        <Checkbox
          label="Or in any later interval"
          isOn={filter.cumulative === true}
          onChange={(isOn) => onChange({ cumulative: isOn || undefined })}
        />
      )}
    </Fields>
  );
}
