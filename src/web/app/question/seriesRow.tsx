import { useState } from "preact/hooks";
import { IconButton } from "../ui/button.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { entityLabel, eventNames } from "./entities.ts";
import { groupsOf } from "./filters.ts";
import { MathPicker } from "./mathPicker.tsx";
import { PropertyFilters } from "./propertyFilters.tsx";
import type { Reorder } from "./reorder.ts";
import { cut } from "./seen.ts";
import { SeriesEvents } from "./seriesEvents.tsx";
import { SeriesName } from "./seriesName.tsx";
import type { EntityNode, PropertyFilter } from "./types.ts";

/** What all series of a form have in common. */
export interface SeriesForm {
  projectId: number;
  /** `letters` for trends (A, B, …), `numbers` for steps. */
  marks: "letters" | "numbers";
  /** Whether each has a math. */
  hasMath: boolean;
  /** Further things to do with one, such as "optional" of a funnel step. */
  toggles?: readonly {
    label: string;
    isOn(entity: EntityNode): boolean;
    set(entity: EntityNode, isOn: boolean): EntityNode;
  }[];
  /** The maths that are offered; those of trends where absent. */
  maths?: readonly string[];
  /** Other words for some maths. */
  mathLabels?: Readonly<Record<string, string>>;
}

interface SeriesRowProps extends SeriesForm {
  entity: EntityNode;
  mark: string;
  /** Null: there is no order to change. */
  handle: ReturnType<Reorder["handle"]> | null;
  isFirst: boolean;
  isLast: boolean;
  onSet(entity: EntityNode): void;
  onCombine(picked: EntityNode): void;
  onDuplicate?(): void;
  onRemove?(): void;
  onMove(step: -1 | 1): void;
}

/** One series: which events, how they are counted, and which of them. */
export function SeriesRow(props: SeriesRowProps) {
  const { projectId, entity, mark, handle, onSet, onCombine, hasMath, maths, mathLabels, toggles = [] } = props;
  const [isNaming, setNaming] = useState(false);
  const [isCombining, setCombining] = useState(false);
  const [isFiltering, setFiltering] = useState(false);
  const events = eventNames([entity]);
  const label = entityLabel(entity);
  const isFiltered = groupsOf(entity.properties).values.length > 0;
  const on = toggles.filter((toggle) => toggle.isOn(entity));
  return (
    <>
      <div class="series-row">
        {handle === null ? (
          <span class="mark">{mark}</span>
        ) : (
          <button
            type="button"
            class="mark handle"
            {...handle}
            aria-label={`${mark}: ${cut(label)}. Drag, or press the arrow keys, to change the order`}
            title="Drag to change the order"
          >
            {mark}
          </button>
        )}
        <div class="series-parts">
          {isNaming || entity.custom_name ? (
            <SeriesName
              value={entity.custom_name ?? ""}
              isNew={isNaming}
              placeholder={label}
              onDone={(name) => {
                setNaming(false);
                const { custom_name: _, ...rest } = entity;
                onSet(name === "" ? rest : { ...rest, custom_name: name });
              }}
            />
          ) : null}
          <SeriesEvents
            {...{ projectId, entity, onSet, mark }}
            isCombining={isCombining}
            onPick={(picked) => {
              setCombining(false);
              onCombine(picked);
            }}
            onCancel={() => setCombining(false)}
          />
          {hasMath && (
            <MathPicker {...{ projectId, maths, events }} labels={mathLabels} value={entity} onChange={onSet} />
          )}
          {on.map((toggle) => (
            <span key={toggle.label} class="chip">
              <span class="chip-text">{toggle.label}</span>
              <IconButton
                label={`No longer ${toggle.label.toLowerCase()}`}
                icon="close"
                onClick={() => onSet(toggle.set(entity, false))}
              />
            </span>
          ))}
        </div>
        {!isFiltered && !isFiltering && (
          <IconButton label={`Filter ${mark}`} icon="filter" onClick={() => setFiltering(true)} />
        )}
        <Menu
          icon="more"
          label={`More for ${mark}`}
          items={menuItems(props, { rename: () => setNaming(true), combine: () => setCombining(true) })}
        />
      </div>
      {(isFiltered || isFiltering) && (
        <div class="series-filters">
          <PropertyFilters
            isFlat
            isAddingAtFirst={!isFiltered}
            onCancel={() => setFiltering(false)}
            projectId={projectId}
            events={events}
            value={entity.properties}
            onChange={(group) => onSet({ ...entity, properties: listOf(group) })}
          />
        </div>
      )}
    </>
  );
}

/** The filters of a series are a list. */
function listOf(value: unknown): readonly PropertyFilter[] | undefined {
  const { values } = groupsOf(value);
  const [only] = values;
  if (only === undefined) return undefined;
  // More than a list can say stays as it was.
  return values.length === 1 && only.type === "AND" ? only.values : (value as readonly PropertyFilter[]);
}

function menuItems(props: SeriesRowProps, open: { rename(): void; combine(): void }): MenuItem[] {
  const { entity, toggles = [], onSet, onDuplicate, onRemove, onMove, isFirst, isLast } = props;
  return [
    { label: "Rename", icon: "pencil", onSelect: open.rename },
    { label: "Or another event", icon: "plus", onSelect: open.combine },
    ...toggles.map((toggle) => ({
      label: toggle.label,
      isChosen: toggle.isOn(entity),
      onSelect: () => onSet(toggle.set(entity, !toggle.isOn(entity))),
    })),
    ...(onDuplicate ? [{ label: "Duplicate", icon: "copy" as const, onSelect: onDuplicate }] : []),
    ...(isFirst ? [] : [{ label: "Move up", onSelect: () => onMove(-1) }]),
    ...(isLast ? [] : [{ label: "Move down", onSelect: () => onMove(1) }]),
    ...(onRemove ? [{ label: "Remove", icon: "trash" as const, isDangerous: true, onSelect: onRemove }] : []),
  ];
}
