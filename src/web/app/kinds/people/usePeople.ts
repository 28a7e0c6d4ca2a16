import { useEffect, useRef, useState } from "preact/hooks";
import { runQuery } from "../../api/query.ts";
import { nodeKey } from "../nodeKey.ts";
import type { Actor } from "./actor.ts";
import { type Ask, countNode, pageNode } from "./peopleQuery.ts";

export interface Entry {
  actor: Actor;
  /** How many of its events count; null where that is not asked. */
  events: number | null;
}

export interface People {
  entries: readonly Entry[];
  /** All of them; null while it is not known. */
  count: number | null;
  events: number | null;
  /** The type of groups; null: they are people. */
  groupType: number | null;
  hasMore: boolean;
  isLoading: boolean;
  error: unknown;
}

const PAGE = 100;
const NONE: People = {
  entries: [],
  count: null,
  events: null,
  groupType: null,
  hasMore: true,
  isLoading: true,
  error: undefined,
};

/** The people behind a number, page by page. */
export function usePeople(projectId: number, ask: Ask): People & { more(): void; again(): void } {
  const [people, setPeople] = useState<People>(NONE);
  const [run, setRun] = useState(0);
  const control = useRef<AbortController>(new AbortController());
  const isBusy = useRef(false);
  const isForced = run > 0;
  const put = (signal: AbortSignal, change: (known: People) => People) => {
    if (!signal.aborted) setPeople(change);
  };
  const load = async (offset: number, signal: AbortSignal) => {
    isBusy.current = true;
    put(signal, (known) => ({ ...known, isLoading: true, error: undefined }));
    try {
      const answer = await runQuery(projectId, pageNode(ask, offset, PAGE), { signal, isForced });
      const entries = (answer.results as [Actor, number?][]).map(([actor, events]) => ({
        actor,
        events: events ?? null,
      }));
      const groupType = (answer.group_type_index as number | null | undefined) ?? null;
      put(signal, (known) => ({
        ...known,
        entries: offset === 0 ? entries : [...known.entries, ...entries],
        groupType,
        hasMore: answer.hasMore === true,
        isLoading: false,
      }));
    } catch (error) {
      put(signal, (known) => ({ ...known, error, isLoading: false }));
    }
    if (!signal.aborted) isBusy.current = false;
  };
  const count = async (signal: AbortSignal) => {
    try {
      const { results } = await runQuery(projectId, countNode(ask), { signal, isForced });
      const [number = 0, events] = (results as number[][])[0] ?? [];
      put(signal, (known) => ({ ...known, count: number, events: events ?? null }));
    } catch {
      // The list itself says what is wrong.
    }
  };
  useEffect(() => {
    control.current = new AbortController();
    const { signal } = control.current;
    setPeople((known) => ({ ...NONE, entries: known.entries, groupType: known.groupType }));
    void load(0, signal);
    void count(signal);
    return () => control.current.abort();
  }, [projectId, nodeKey(ask), run]);
  return {
    ...people,
    more: () => {
      if (!isBusy.current && people.hasMore && !people.isLoading && people.error === undefined) {
        void load(people.entries.length, control.current.signal);
      }
    },
    again: () => setRun(run + 1),
  };
}

const EXPORT_PAGE = 1_000;

/** All of the people, for a file. */
export async function allPeople(projectId: number, ask: Ask, signal: AbortSignal): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for (;;) {
    const answer = await runQuery(projectId, pageNode(ask, all.length, EXPORT_PAGE), { signal });
    const rows = answer.results as [Actor, number?][];
    for (const [actor, events] of rows) all.push({ actor, events: events ?? null });
    if (answer.hasMore !== true || rows.length === 0) return all;
  }
}
