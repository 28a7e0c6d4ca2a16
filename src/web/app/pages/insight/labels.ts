import type { QueryNode } from "../../api/node.ts";
import { type Labels, NO_LABELS, readDraft } from "../parts/insight/draft.ts";
import type { Insight } from "../parts/insight/insightApi.ts";
import { isSameNode } from "./sameNode.ts";

/** Those of a saved insight. */
export const labelsOf = ({ name, description, tags, favorited }: Insight): Labels => ({
  name: name ?? "",
  description: description ?? "",
  tags,
  favorited,
});

/** The labels that are not the same in others. */
export function without(labels: Partial<Labels>, others: Partial<Labels>): Partial<Labels> {
  const isOther = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(others[name as keyof Labels]);
  return Object.fromEntries(Object.entries(labels).filter(isOther));
}

/** Those of the draft that goes on here. */
export function labelsOfDraft(projectId: number, insight: Insight | null, first: QueryNode): Labels {
  const draft = readDraft(projectId);
  return insight === null && draft?.shortId === null && isSameNode(draft.node, first) ? draft.labels : NO_LABELS;
}
