import { useState } from "preact/hooks";
import { IconButton } from "../ui/button.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { entityLabel, eventNames, withEntity, withNode } from "./entities.ts";
import { AddEvent, EventPicker } from "./eventPicker.tsx";
import { groupsOf } from "./filters.ts";
import { useFocusAtFirst } from "./focusAtFirst.ts";
import { MathPicker } from "./mathPicker.tsx";
import { PropertyFilters } from "./propertyFilters.tsx";
import type { Reorder } from "./reorder.ts";
import type { SeriesListProps } from "./seriesList.tsx";
import type { EntityNode, PropertyFilter } from "./types.ts";

interface SeriesRowProps
  extends Pick<SeriesListProps, "projectId" | "hasMath" | "toggles" | "maths" | "mathLabels" | "marks"> {
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
            aria-label={`${mark}: ${label.slice(0, 200)}. Drag, or press the arrow keys, to change the order`}
            title="Drag to change the order"
          >
            {mark}
          </button>
        )}
        <div class="series-parts">
          {isNaming || entity.custom_name ? (
            <NameLine
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
          <Events
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

interface EventsProps {
  projectId: number;
  entity: EntityNode;
  mark: string;
  onSet(entity: EntityNode): void;
  isCombining: boolean;
  onPick(picked: EntityNode): void;
  onCancel(): void;
}

/** The event of a series, or the events that count as one. */
function Events({ projectId, entity, mark, onSet, isCombining, onPick, onCancel }: EventsProps) {
  const nodes = entity.kind === "GroupNode" ? (entity.nodes ?? []) : null;
  const word = entity.operator === "AND" ? "and" : "or";
  const another = (
    <AddEvent
      projectId={projectId}
      label={`Another event of ${mark}`}
      isOpenAtFirst={isCombining}
      onPick={onPick}
      onClose={onCancel}
    >
      or
    </AddEvent>
  );
  if (nodes === null) {
    return (
      <>
        <EventPicker projectId={projectId} label={`Event of ${mark}`} value={entity} onChange={onSet} />
        {isCombining && another}
      </>
    );
  }
  return (
    <>
      {nodes.map((node, index) => (
        <span key={index} class="alternative">
          {index > 0 && <span class="joint-word">{word}</span>}
          <EventPicker
            projectId={projectId}
            label={`Event ${index + 1} of ${mark}`}
            value={node}
            onChange={(next) => onSet(withNode(entity, index, withEntity(node, next)))}
          />
          <IconButton
            label={`Remove ${entityLabel(node).slice(0, 200)} from ${mark}`}
            icon="close"
            onClick={() => onSet(withNode(entity, index, null))}
          />
        </span>
      ))}
      {another}
    </>
  );
}

interface NameLineProps {
  value: string;
  isNew: boolean;
  placeholder: string;
  onDone(name: string): void;
}

/** The name of a series, in its place. Without one it is called after its events. */
function NameLine({ value, isNew, placeholder, onDone }: NameLineProps) {
  const [text, setText] = useState(value);
  const input = useFocusAtFirst<HTMLInputElement>(isNew);
  return (
    <input
      class="input series-name"
      dir="auto"
      ref={input}
      aria-label="Name of the series"
      placeholder={placeholder.slice(0, 200)}
      value={text}
      maxLength={400}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={() => onDone(text.trim())}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onDone(value);
      }}
    />
  );
}
