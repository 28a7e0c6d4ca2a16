import { type Fragment, numberOrNull, type Stored, searchTextOf, type Tx } from "../store/mod.ts";

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

/** Which definitions a list has; every condition is optional. */
export interface ShownFilter {
  isHidden?: boolean;
  isVerified?: boolean;
  /** Its name is not one of those that SDKs give, which begin with `$`. */
  isOwn?: boolean;
}

/** The condition that a list has a definition. */
export function isShown(tx: Tx, { isHidden, isVerified, isOwn }: ShownFilter): Fragment {
  const begin = tx`substr(name, 1, 1)`;
  return tx`true
    ${isHidden === undefined ? tx`` : tx`and hidden = ${Number(isHidden)}`}
    ${isVerified === undefined ? tx`` : tx`and verified = ${Number(isVerified)}`}
    ${isOwn === undefined ? tx`` : isOwn ? tx`and ${begin} <> '$'` : tx`and ${begin} = '$'`}`;
}
