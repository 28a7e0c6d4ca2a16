import { useState } from "preact/hooks";
import { FilterChip } from "../../question/filterChip.tsx";
import { Joint } from "../../question/filterRow.tsx";
import { newFilter } from "../../question/filters.ts";
import { isComplete } from "../../question/operators.ts";
import { PropertyPicker } from "../../question/propertyPicker.tsx";
import type { PropertyFilter } from "../../question/types.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { type Behavior, isBehavior, newBehavior } from "./behavior.ts";
import { BehaviorRow } from "./behaviorRow.tsx";
import { type Criteria, type Criterion, isGroup, NO_CRITERIA, withAdded, withItem } from "./criteria.ts";

interface CriteriaEditorProps {
  projectId: number;
  criteria: Criteria;
  onChange(criteria: Criteria): void;
  /** Of a group in another. */
  onRemove?(): void;
  /** How many groups are around it. */
  depth?: number;
}

const TYPES = ["person", "cohort"] as const;
/** Deeper groups are shown and kept, and none is added to them. */
const DEPTH_MAX = 4;

/** Conditions with "and" or "or" between them; each may be a group of its own. */
export function CriteriaEditor({ projectId, criteria, onChange, onRemove, depth = 0 }: CriteriaEditorProps) {
  const [draft, setDraft] = useState<PropertyFilter | null>(null);
  const { type, values } = criteria;
  const add = (item: Criterion) => onChange(withAdded(criteria, item));
  const flip = () => onChange({ ...criteria, type: type === "AND" ? "OR" : "AND" });
  // A filter without a value is told when it has one.
  const told = (filter: PropertyFilter) => {
    if (!isComplete(filter)) return setDraft(filter);
    setDraft(null);
    add(filter);
  };
  return (
    <fieldset class={depth === 0 ? "criteria" : "criteria inner"}>
      <legend class="unseen">{depth === 0 ? "Conditions" : "Group of conditions"}</legend>
      {values.map((item, index) => (
        <div key={index} class="criterion">
          {index > 0 && <Joint type={type} of="conditions" onChange={flip} />}
          <Item {...{ projectId, item, depth }} onChange={(next) => onChange(withItem(criteria, index, next))} />
        </div>
      ))}
      {draft !== null && (
        <div class="criterion">
          {values.length > 0 && <Joint type={type} of="conditions" onChange={flip} />}
          <FilterChip
            projectId={projectId}
            filter={draft}
            types={TYPES}
            isOpenAtFirst
            onChange={told}
            onRemove={() => setDraft(null)}
          />
        </div>
      )}
      <div class="criteria-add">
        <PropertyPicker
          projectId={projectId}
          label="Add a property or a cohort"
          placeholder="Property or cohort"
          look="quiet"
          isAdd
          types={TYPES}
          value={null}
          onChange={(picked) => told(newFilter(picked))}
        />
        <Button look="quiet" icon="plus" onClick={() => add(newBehavior())}>
          What they did
        </Button>
        {depth < DEPTH_MAX && (
          <Button look="quiet" icon="plus" onClick={() => add({ ...NO_CRITERIA, type: type === "AND" ? "OR" : "AND" })}>
            Group
          </Button>
        )}
        {onRemove !== undefined && (
          <IconButton label="Remove this group" icon="trash" class="pale" onClick={onRemove} />
        )}
      </div>
    </fieldset>
  );
}

interface ItemProps {
  projectId: number;
  item: Criterion;
  depth: number;
  onChange(item: Criterion | null): void;
}

function Item({ projectId, item, depth, onChange }: ItemProps) {
  if (isGroup(item)) {
    return (
      <CriteriaEditor
        projectId={projectId}
        criteria={item}
        depth={depth + 1}
        onChange={onChange}
        onRemove={() => onChange(null)}
      />
    );
  }
  if (isBehavior(item)) {
    return (
      <div class="criterion-box">
        <BehaviorRow projectId={projectId} behavior={item} onChange={(next: Behavior) => onChange(next)} />
        <IconButton label="Remove this condition" icon="trash" class="pale" onClick={() => onChange(null)} />
      </div>
    );
  }
  const filter = item as PropertyFilter;
  return (
    <span class="criterion-filter">
      {filter.type !== "cohort" && filter.negation === true && <span class="joint-word">not</span>}
      <FilterChip
        projectId={projectId}
        filter={filter}
        types={TYPES}
        onChange={onChange}
        onRemove={() => onChange(null)}
      />
    </span>
  );
}
