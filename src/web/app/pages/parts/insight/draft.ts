import type { QueryNode } from "../../../api/node.ts";
import { readNode } from "../../../kinds/readNode.ts";

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
  try {
    const draft = JSON.parse(localStorage.getItem(keyOf(projectId)) ?? "null") as Draft | null;
    const node = readNode(draft?.node);
    return draft === null || node === null ? null : { ...draft, node };
  } catch {
    return null;
  }
}

/** Keeps a question that is not saved, in place of the one before. */
export function writeDraft(projectId: number, draft: Omit<Draft, "atMs">): void {
  try {
    localStorage.setItem(keyOf(projectId), JSON.stringify({ ...draft, atMs: Date.now() }));
  } catch {
    // The address has it, too.
  }
}

/** Forgets the draft: it was saved, or taken back. */
export function dropDraft(projectId: number): void {
  try {
    localStorage.removeItem(keyOf(projectId));
  } catch {
    // Nothing is kept.
  }
}
