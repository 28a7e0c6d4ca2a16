import { useRef, useState } from "preact/hooks";
import { Button, IconButton } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { type BrokenBy, brokenBy, type CohortId, partOf, pickedOf, withBroken } from "./breakdownFilter.ts";
import { BreakdownOptions } from "./breakdownOptions.tsx";
import { useCohorts } from "./definitions.ts";
import { PropertyPicker } from "./propertyPicker.tsx";
import type { BreakdownFilter, PickedProperty } from "./types.ts";

interface BreakdownsProps {
  projectId: number;
  value: BreakdownFilter | undefined;
  onChange(value: BreakdownFilter | undefined): void;
  max: number;
  events?: readonly string[];
  /** How many values are shown unless one says otherwise: 25. */
  defaultLimit?: number;
}

const TYPES: PickedProperty["type"][] = ["event", "person", "group", "session", "cohort", "hogql", "event_metadata"];
/** Cohorts do not stand beside properties. */
const BESIDE_PROPERTIES = TYPES.filter((type) => type !== "cohort");
const ALL_USERS = "all";

/** By which properties the answer is divided, and how many values are shown. */
export function Breakdowns({ projectId, value, onChange, max, events, defaultLimit = 25 }: BreakdownsProps) {
  const broken = brokenBy(value);
  const { parts, cohorts } = broken;
  const put = (next: Partial<BrokenBy>) => onChange(withBroken(value, { parts: [], cohorts: [], ...next }));
  const isEmpty = parts.length === 0 && cohorts.length === 0;
  const pick = (picked: PickedProperty) => {
    if (picked.type === "cohort") put({ cohorts: [...new Set([...cohorts, picked.value ?? 0])] });
    else put({ parts: [...parts, partOf(picked)] });
  };
  const types = cohorts.length > 0 ? COHORTS : isEmpty ? TYPES : BESIDE_PROPERTIES;
  return (
    <div class="filter-row">
      {parts.map((part, index) => (
        <span key={`${index} ${part.property}`} class="chip">
          <PropertyPicker
            {...{ projectId, events }}
            look="quiet"
            label={`Breakdown ${index + 1}`}
            value={pickedOf(part)}
            types={parts.length === 1 ? TYPES : BESIDE_PROPERTIES}
            onChange={(picked) =>
              picked.type === "cohort" ? pick(picked) : put({ parts: parts.with(index, partOf(picked)) })
            }
          />
          <IconButton
            label={`Remove breakdown ${index + 1}`}
            icon="close"
            onClick={() => put({ parts: parts.toSpliced(index, 1) })}
          />
        </span>
      ))}
      {cohorts.map((id) => (
        <CohortChip
          key={id}
          projectId={projectId}
          id={id}
          onRemove={() => put({ cohorts: cohorts.filter((one) => one !== id) })}
        />
      ))}
      {(cohorts.length > 0 || parts.length < max) && (
        <PropertyPicker
          {...{ projectId, events, types }}
          isAdd
          look="quiet"
          label="Add a breakdown"
          placeholder={cohorts.length > 0 ? "Cohort" : "Breakdown"}
          value={null}
          onChange={pick}
        />
      )}
      {cohorts.length > 0 && !cohorts.includes(ALL_USERS) && (
        <Button look="quiet" class="small" icon="plus" onClick={() => put({ cohorts: [...cohorts, ALL_USERS] })}>
          All users
        </Button>
      )}
      {parts.length > 0 && <Options {...{ projectId, defaultLimit }} value={value ?? {}} onChange={onChange} />}
    </div>
  );
}

const COHORTS: PickedProperty["type"][] = ["cohort"];

function CohortChip({ projectId, id, onRemove }: { projectId: number; id: CohortId; onRemove(): void }) {
  const known = useCohorts(projectId).data?.items.find((cohort) => cohort.id === id);
  const name = id === ALL_USERS ? "All users" : (known?.label ?? `Cohort ${id}`);
  return (
    <span class="chip">
      <bdi class="chip-text" title={name}>
        {name}
      </bdi>
      <IconButton label={`Remove ${name.slice(0, 200)}`} icon="close" onClick={onRemove} />
    </span>
  );
}

interface OptionsProps {
  projectId: number;
  value: BreakdownFilter;
  onChange(value: BreakdownFilter): void;
  defaultLimit: number;
}

function Options(props: OptionsProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  const limit = props.value.breakdown_limit ?? props.defaultLimit;
  return (
    <span ref={anchor} tabIndex={-1}>
      <Button
        look="quiet"
        class="small pale"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Top {limit}
      </Button>
      {isOpen && (
        <Popover anchor={anchor} onClose={() => setOpen(false)} label="Options of the breakdown" class="options-box">
          <BreakdownOptions {...props} />
        </Popover>
      )}
    </span>
  );
}
