import { useEffect, useRef, useState } from "preact/hooks";
import type { QueryAnswer, QueryNode } from "../../../api/node.ts";
import { Queue } from "./queue.ts";
import { isStale } from "./types.ts";

/** How many tiles are calculated at a time. */
const AT_ONCE = 4;
const queue = new Queue(AT_ONCE);

/** An answer with the question that it belongs to: they change together. */
export interface TileAnswer {
  node: QueryNode;
  answer: QueryAnswer | undefined;
  error: unknown;
  isLoading: boolean;
}

interface Wish {
  node: QueryNode;
  /** What is known already. */
  known: QueryAnswer | undefined;
  /** Whether the tile was in sight, or nearly: nothing is asked for others. */
  isNear: boolean;
  /** A higher one asks again although there is an answer. */
  round: number;
  /** `node` of what it gives: as it was really asked. */
  ask(node: QueryNode, o: { isForced: boolean; signal: AbortSignal }): Promise<Asked>;
}

export interface Asked {
  node: QueryNode;
  answer: QueryAnswer;
}

/** The answer to the question of a tile. The one before it stays until the newer has come. */
export function useAnswer({ node, known, isNear, round, ask }: Wish): TileAnswer {
  const key = JSON.stringify(node);
  const [state, setState] = useState<TileAnswer>({
    node,
    answer: known,
    error: undefined,
    isLoading: known === undefined,
  });
  const asked = useRef<{ key: string | null; round: number }>({ key: null, round });
  const latest = useRef({ known, ask });
  latest.current = { known, ask };
  useEffect(() => {
    if (known === undefined) return;
    const isOther = asked.current.key !== key;
    setState((before) =>
      isOther || isNewer(known, before.answer) ? { ...before, node, answer: known, error: undefined } : before,
    );
  }, [key, known?.last_refresh]);
  useEffect(() => {
    const isForced = round > asked.current.round;
    if (!isNear || (asked.current.key === key && !isForced)) return;
    const present = latest.current.known;
    if (!isForced && present !== undefined && !isStale(present, Date.now())) {
      asked.current = { key, round };
      setState((before) => ({ ...before, isLoading: false }));
      return;
    }
    const control = new AbortController();
    const { signal } = control;
    setState((before) => ({ ...before, isLoading: true }));
    const end = (change: Partial<TileAnswer>) => {
      if (signal.aborted) return;
      asked.current = { key, round };
      setState((before) => ({ ...before, error: undefined, ...change, isLoading: false }));
    };
    queue
      .run(() => latest.current.ask(node, { isForced, signal }), signal)
      .then(end, (error: unknown) => end({ error }));
    return () => control.abort();
  }, [key, round, isNear]);
  return state;
}

function isNewer(one: QueryAnswer, other: QueryAnswer | undefined): boolean {
  return other === undefined || (one.last_refresh ?? "") > (other.last_refresh ?? "");
}
