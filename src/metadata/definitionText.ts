import { numberOrNull, type Stored, searchTextOf } from "../store/mod.ts";

/** The description of an event or a property that users write. */
export interface DefinitionText {
  description: string;
  /** Lower-case, sorted, each once. */
  tags: string[];
  verified: boolean;
  /** Lists leave it out. */
  hidden: boolean;
  updatedBy: number | null;
  updatedAtMs: number;
}

export interface DefinitionTextRow {
  description: string;
  tags: string;
  verified: Stored;
  hidden: Stored;
  updated_by: Stored | null;
  updated_at_ms: Stored;
}

/** The text of a new definition. */
export const newDefinitionText = (nowMs: number): DefinitionText => {
  return { description: "", tags: [], verified: false, hidden: false, updatedBy: null, updatedAtMs: nowMs };
};

export const definitionText = (row: DefinitionTextRow): DefinitionText => ({
  description: row.description,
  tags: JSON.parse(row.tags),
  verified: Number(row.verified) === 1,
  hidden: Number(row.hidden) === 1,
  updatedBy: numberOrNull(row.updated_by),
  updatedAtMs: Number(row.updated_at_ms),
});

export const definitionTextColumns = (definition: DefinitionText & { name: string }) => ({
  description: definition.description,
  tags: JSON.stringify(definition.tags),
  verified: Number(definition.verified),
  hidden: Number(definition.hidden),
  search_text: searchTextOf([definition.name, definition.description, ...definition.tags]),
  updated_by: definition.updatedBy,
  updated_at_ms: definition.updatedAtMs,
});
