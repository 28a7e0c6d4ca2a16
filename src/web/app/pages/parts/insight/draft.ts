import type { QueryNode } from "../../../api/node.ts";
import { readNode } from "../../../kinds/readNode.ts";
import { readStored, store } from "../../../ui/stored.ts";

/** What an insight is called and marked with. */
export interface Labels {
  name: string;
  description: string;
  tags: string[];
  favorited: boolean;
}

export const NO_LABELS: Labels = { name: "", description: "", tags: [], favorited: false };

/** The last question of a project that was not saved. */
export interface Draft {
  node: QueryNode;
  /** The saved insight that it changes; null: a new one. */
  shortId: string | null;
  /** Those of a new one. */
  labels: Labels;
  atMs: number;
}

const keyOf = (projectId: number): string => `weir.draft.${projectId}`;

/** Null where there is none, or where this browser keeps nothing. */
export function readDraft(projectId: number): Draft | null {
  const draft = readStored(keyOf(projectId)) as Draft | null;
  const node = readNode(draft?.node);
  return draft === null || node === null ? null : { ...draft, node, labels: { ...NO_LABELS, ...draft.labels } };
}

/** Keeps a question that is not saved, in place of the one before. */
export const writeDraft = (projectId: number, draft: Omit<Draft, "atMs">): void =>
  store(keyOf(projectId), { ...draft, atMs: Date.now() });

/** Forgets the draft: it was saved, or taken back. */
export const dropDraft = (projectId: number): void => store(keyOf(projectId), null);
