import { useEffect, useRef, useState } from "preact/hooks";
import type { QueryAnswer, QueryNode } from "../../api/node.ts";
import { type Progress, runQuery } from "../../api/query.ts";
import { noteRun } from "./kept.ts";

/** What is known of the last thing that was run. */
interface Run {
  answer: QueryAnswer | undefined;
  error: unknown;
  isRunning: boolean;
  isStopped: boolean;
  progress: Progress | null;
  /** Of the answer, from the request on; null: there is none. */
  tookMs: number | null;
}

export interface Running extends Run {
  /** Runs a question; one that runs still is stopped. `isForced`: although an answer to it is kept. */
  run(node: QueryNode, isForced: boolean): void;
  /** Ends it, on the server too. */
  stop(): void;
}

const IDLE: Run = {
  answer: undefined,
  error: undefined,
  isRunning: false,
  isStopped: false,
  progress: null,
  tookMs: null,
};

/** Runs SQL when it is asked to, and notes it in the history of this browser. */
export function useRun(projectId: number): Running {
  const [state, setState] = useState<Run>(IDLE);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const begin = async (node: QueryNode, isForced: boolean) => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    const { signal } = own;
    const startedAtMs = performance.now();
    const put = (part: Partial<Run>) => !signal.aborted && setState((known) => ({ ...known, ...part }));
    put({ error: undefined, isRunning: true, isStopped: false, progress: null });
    const note = (rows: number | null) =>
      noteRun(projectId, {
        query: String(node.query),
        atMs: Date.now(),
        rows,
        tookMs: Math.round(performance.now() - startedAtMs),
      });
    try {
      const onProgress = (progress: Progress) => put({ progress });
      const answer = await runQuery(projectId, node, { signal, isForced, onProgress });
      note(Array.isArray(answer.results) ? answer.results.length : null);
      put({ answer, isRunning: false, progress: null, tookMs: performance.now() - startedAtMs });
    } catch (error) {
      note(null);
      put({ error, isRunning: false, progress: null });
    }
  };
  return {
    ...state,
    run: (node, isForced) => void begin(node, isForced),
    stop: () => {
      control.current?.abort();
      setState((known) => ({ ...known, isRunning: false, isStopped: true, progress: null }));
    },
  };
}
