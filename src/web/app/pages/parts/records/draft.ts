import { isObject } from "../../../api/node.ts";
import { readStored, store } from "../../../ui/stored.ts";

/** Whose changes are kept: of each kind and project those of one record, the last that was changed. */
export interface DraftPlace {
  what: "cohort" | "action" | "text";
  projectId: number;
  /** Null: a new one. */
  id: number | null;
}

const keyOf = ({ what, projectId }: DraftPlace): string => `weir.${what}.draft.${projectId}`;

/** What was changed of a record and not saved; nothing where that is of another record. */
export function readDraft(place: DraftPlace): Record<string, unknown> {
  const draft = readStored(keyOf(place));
  return isObject(draft) && draft.id === place.id && isObject(draft.changes) ? draft.changes : {};
}

/** Keeps what was changed of a record; where nothing is left, the record has no draft. */
export function keepDraft(place: DraftPlace, changes: object): void {
  const isEmpty = Object.keys(changes).length === 0;
  if (!isEmpty) store(keyOf(place), { id: place.id, changes });
  else if (Object.keys(readDraft(place)).length > 0) store(keyOf(place), null);
}
