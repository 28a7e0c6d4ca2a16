import type { ComponentChildren } from "preact";
import { Icon } from "../ui/icon.tsx";
import { Picker } from "../ui/picker.tsx";
import { entityLabel, withEntity } from "./entities.ts";
import { type EntityLists, useEventSearch } from "./eventSearch.tsx";
import { cut } from "./seen.ts";
import type { EntityNode } from "./types.ts";

interface EventPickerProps {
  projectId: number;
  value: EntityNode;
  onChange(value: EntityNode): void;
  label: string;
  /** Which can be picked: "All events" and actions too, unless they are ruled out. */
  lists?: EntityLists;
}

/** A button that says which event or action is asked for, and opens the picker: type-ahead over events and actions. */
export function EventPicker({ projectId, value, onChange, label, lists }: EventPickerProps) {
  const search = useEventSearch(projectId, value, false, lists);
  const said = cut(entityLabel({ ...value, custom_name: undefined })) || "Pick an event";
  return (
    <span class="one-picker" title={said}>
      <Picker
        {...search}
        label={label}
        placeholder="Find an event or action"
        onPick={({ value: picked }) => onChange(withEntity(value, picked))}
      >
        {said}
      </Picker>
    </span>
  );
}

interface AddEventProps {
  projectId: number;
  onPick(entity: EntityNode): void;
  label: string;
  children: ComponentChildren;
  isOpenAtFirst?: boolean;
  onClose?(): void;
}

/** A button that opens the same picker to add one. */
export function AddEvent({ projectId, onPick, onClose, children, isOpenAtFirst, label }: AddEventProps) {
  const search = useEventSearch(projectId, null, isOpenAtFirst);
  const close = () => {
    search.onClose();
    onClose?.();
  };
  return (
    <span class="add-picker">
      <Picker
        {...search}
        {...{ label, isOpenAtFirst }}
        onClose={close}
        look="quiet"
        placeholder="Find an event or action"
        onPick={({ value }) => onPick(value)}
      >
        <Icon name="plus" />
        {children}
      </Picker>
    </span>
  );
}
