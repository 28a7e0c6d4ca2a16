import { useMemo } from "preact/hooks";
import { useActions } from "../../question/definitions.ts";
import { eventNames } from "../../question/entities.ts";
import { EventPicker } from "../../question/eventPicker.tsx";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { Select } from "../../ui/field.tsx";
import { BEHAVIORS, type Behavior, entityOf, namedBy, needs, withValue } from "./behavior.ts";
import { Count, Periods, Time } from "./behaviorTimes.tsx";
import { Length } from "./length.tsx";

interface BehaviorRowProps {
  projectId: number;
  behavior: Behavior;
  onChange(behavior: Behavior): void;
}

const NONE = { kind: "EventsNode", event: "" } as const;
const LISTS = { noAny: true };

/** A condition by what persons did: which event, how often, when. */
export function BehaviorRow({ projectId, behavior, onChange }: BehaviorRowProps) {
  const actions = useActions(projectId).data?.items;
  const names = useMemo(() => new Map((actions ?? []).map(({ id, label }) => [id, label])), [actions]);
  const put = (part: Partial<Behavior>) => onChange({ ...behavior, ...part });
  const entity = entityOf(behavior.key, behavior.event_type, names);
  const next = entityOf(behavior.seq_event, behavior.seq_event_type, names);
  return (
    <div class="behavior">
      <div class="behavior-line">
        <Select
          label="Whether they did it"
          value={behavior.negation === true ? "not" : "did"}
          choices={WHETHER}
          onChange={(whether) => put({ negation: whether === "not" })}
        />
        <Select
          label="What they did"
          value={behavior.value}
          choices={BEHAVIORS}
          onChange={(value) => onChange(withValue(behavior, value))}
        />
        <EventPicker
          projectId={projectId}
          label="Event"
          lists={LISTS}
          value={entity ?? NONE}
          onChange={(picked) => {
            const { key, type } = namedBy(picked);
            put({ key, event_type: type });
          }}
        />
        <PropertyFilters
          projectId={projectId}
          value={behavior.event_filters ?? []}
          isFlat
          isAnd
          addLabel="where"
          types={FILTERED_BY}
          events={entity === null ? [] : eventNames([entity])}
          onChange={(group) => put({ event_filters: group?.values.flatMap(({ values }) => values) })}
        />
      </div>
      {needs(behavior, "next") && (
        <div class="behavior-line">
          <span>and then</span>
          <EventPicker
            projectId={projectId}
            label="The event after it"
            lists={LISTS}
            value={next ?? NONE}
            onChange={(picked) => {
              const { key, type } = namedBy(picked);
              put({ seq_event: key, seq_event_type: type });
            }}
          />
          <span>within</span>
          <Length
            {...ofNext(behavior)}
            label="How long after it"
            onChange={(value, unit) => put(asNext(value, unit))}
          />
        </div>
      )}
      <div class="behavior-line">
        {needs(behavior, "count") && <Count behavior={behavior} onChange={put} />}
        {needs(behavior, "periods") && <Periods behavior={behavior} onChange={put} />}
        {needs(behavior, "time") && <Time behavior={behavior} onChange={onChange} />}
        {needs(behavior, "recent") && (
          <>
            <span>
              {behavior.value === "stopped_performing_event" ? "but not in the last" : "and again in the last"}
            </span>
            <Length {...ofNext(behavior)} label="Lately" onChange={(value, unit) => put(asNext(value, unit))} />
          </>
        )}
      </div>
    </div>
  );
}

const WHETHER = [
  { value: "did", label: "Persons that" },
  { value: "not", label: "All but persons that" },
] as const;
const FILTERED_BY = ["event", "person", "group", "session", "cohort", "element", "event_metadata"] as const;

const ofNext = ({ seq_time_value: amount, seq_time_interval: unit }: Behavior) => ({ amount, unit });
const asNext = (seq_time_value: number | undefined, seq_time_interval: string) => ({
  seq_time_value,
  seq_time_interval,
});
