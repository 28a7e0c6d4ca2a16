import { useEffect, useRef, useState } from "preact/hooks";
import type { QueryAnswer, QueryNode } from "../../api/node.ts";
import { type Progress, runQuery } from "../../api/query.ts";
import { kindOf } from "../mod.ts";
import { nodeKey } from "../nodeKey.ts";
import { sourceOf } from "../wrapping.ts";

/** What is known of the answer to a question that may change. */
interface Asked {
  answer: QueryAnswer | undefined;
  /** The question that it answers: that before, while a newer is calculated. */
  node: QueryNode;
  /** Why the newest question has no answer. */
  error: unknown;
  isLoading: boolean;
  /** Stopped by the user: nothing is calculated. */
  isStopped: boolean;
  progress: Progress | null;
}

export interface Asking extends Asked {
  /** The answer is that of another question, or there is a newer one on the way. */
  isOld: boolean;
  /** Calculates it anew, though an answer is there. */
  refresh(): void;
  /** Ends the calculation, on the server too. */
  stop(): void;
}

const PAUSE_MS = 150;
/** A change that comes sooner after another is one of several, as of somebody who types. */
const ROW_MS = 500;

/**
 * Asks a question when it changes; while changes follow each other, 150 ms after the last one. A newer question ends the calculation
 * of the older one.
 */
export function useAnswer(projectId: number, node: QueryNode): Asking {
  const key = `${projectId} ${essenceKey(node)}`;
  const [state, setState] = useState<Asked>({ ...IDLE, node });
  const [forced, setForced] = useState(0);
  const run = useRef<{ control: AbortController; forced: number; atMs: number } | null>(null);
  useEffect(() => {
    const before = run.current;
    const isForced = before !== null && before.forced !== forced;
    const control = new AbortController();
    run.current = { control, forced, atMs: performance.now() };
    const isInRow = before !== null && !isForced && run.current.atMs - before.atMs < ROW_MS;
    setState((known) => ({ ...known, error: undefined, isLoading: true, isStopped: false, progress: null }));
    const timer = setTimeout(() => void ask(control.signal, isForced), isInRow ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [key, forced]);

  async function ask(signal: AbortSignal, isForced: boolean): Promise<void> {
    const put = (part: Partial<Asked>) => !signal.aborted && setState((known) => ({ ...known, ...part }));
    try {
      const answer = await runQuery(projectId, sourceOf(node), {
        signal,
        isForced,
        onProgress: (progress) => put({ progress }),
        onOlder: (older) => put({ answer: older, node }),
      });
      put({ answer, node, error: undefined, isLoading: false, progress: null });
    } catch (error) {
      put({ error, isLoading: false, progress: null });
    }
  }

  const stop = () => {
    run.current?.control.abort();
    setState((known) => ({ ...known, isLoading: false, isStopped: true, progress: null }));
  };
  // The form of the chart may change without a new question.
  const isOfNode = essenceKey(state.node) === essenceKey(node);
  const isOld = state.isLoading || !isOfNode;
  return { ...state, isOld, node: isOfNode ? node : state.node, refresh: () => setForced(forced + 1), stop };
}

const IDLE = { answer: undefined, error: undefined, isLoading: true, isStopped: false, progress: null };

/** Nodes with equal keys have the same answer. */
function essenceKey(node: QueryNode): string {
  const source = sourceOf(node);
  return nodeKey([source.kind, kindOf(source)?.essence?.(source) ?? source]);
}
