import type { QueryNode } from "../../api/node.ts";
import { readStored, store } from "../../ui/stored.ts";

/** Something that was run in this browser. */
export interface Ran {
  query: string;
  atMs: number;
  /** Null: it failed, or was stopped. */
  rows: number | null;
  tookMs: number;
}

const HISTORY_MAX = 100;
/** Longer texts are not kept: a browser gives a site some five megabytes. */
const TEXT_MAX = 20_000;
const historyKey = (projectId: number): string => `weir.sql.history.${projectId}`;
const draftKey = (projectId: number): string => `weir.sql.draft.${projectId}`;

/** What was run of late, the newest first. */
export function readHistory(projectId: number): readonly Ran[] {
  const list = readStored(historyKey(projectId));
  return Array.isArray(list) ? list.filter((one): one is Ran => typeof one?.query === "string") : [];
}

/** Notes what was run. The same text again takes the place of the one before. */
export function noteRun(projectId: number, ran: Ran): void {
  if (ran.query.length > TEXT_MAX) return;
  const others = readHistory(projectId).filter(({ query }) => query !== ran.query);
  store(historyKey(projectId), [ran, ...others].slice(0, HISTORY_MAX));
}

export function clearHistory(projectId: number): void {
  store(historyKey(projectId), []);
}

/** What was written last and not saved; null: nothing. */
export function readDraft(projectId: number): QueryNode | null {
  const node = readStored(draftKey(projectId)) as QueryNode | null;
  return typeof node?.kind === "string" ? node : null;
}

export const writeDraft = (projectId: number, node: QueryNode): void => store(draftKey(projectId), node);

/** Forgets what was written: it is saved. */
export const dropDraft = (projectId: number): void => store(draftKey(projectId), null);
