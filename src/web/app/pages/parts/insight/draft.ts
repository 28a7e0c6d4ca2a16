import type { QueryNode } from "../../../api/node.ts";
import { readNode } from "../../../kinds/readNode.ts";
import { readStored, store } from "../../../ui/stored.ts";

/** The last question of a project that was not saved. */
export interface Draft {
  node: QueryNode;
  /** The saved insight that it changes; null: a new one. */
  shortId: string | null;
  /** Its name, where it was given one. */
  name: string;
  atMs: number;
}

const keyOf = (projectId: number): string => `weir.draft.${projectId}`;

/** Null where there is none, or where this browser keeps nothing. */
export function readDraft(projectId: number): Draft | null {
  const draft = readStored(keyOf(projectId)) as Draft | null;
  const node = readNode(draft?.node);
  return draft === null || node === null ? null : { ...draft, node };
}

/** Keeps a question that is not saved, in place of the one before. */
export const writeDraft = (projectId: number, draft: Omit<Draft, "atMs">): void =>
  store(keyOf(projectId), { ...draft, atMs: Date.now() });

/** Forgets the draft: it was saved, or taken back. */
export const dropDraft = (projectId: number): void => store(keyOf(projectId), null);
