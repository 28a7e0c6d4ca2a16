import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "./page.ts";

/** What is there of a list that is loaded page by page. */
export interface Paged<T> {
  items: readonly T[];
  isLoading: boolean;
  error: unknown;
  hasMore: boolean;
  /** Loads the next page, unless one is on the way. */
  more(): void;
  /** Loads all of it anew. */
  again(): void;
}

interface State<T, C> {
  key: string;
  items: readonly T[];
  next: C | null;
  isLoading: boolean;
  error: unknown;
}

/**
 * A list that goes on page by page. The key names all that `load` depends on; under another key the items before stay until
 * the first page is there. `first`: where the first page begins.
 */
export function usePages<T, C>(
  key: string,
  first: C,
  load: (at: C, signal: AbortSignal) => Promise<Page<T, C>>,
): Paged<T> {
  const [state, setState] = useState<State<T, C>>({ key, items: [], next: null, isLoading: true, error: undefined });
  const [round, setRound] = useState(0);
  const control = useRef(new AbortController());
  const isBusy = useRef(false);
  const go = async (at: C, isFirst: boolean) => {
    const { signal } = control.current;
    const put = (part: (known: State<T, C>) => Partial<State<T, C>>) =>
      !signal.aborted && setState((known) => ({ ...known, ...part(known) }));
    isBusy.current = true;
    put(() => ({ isLoading: true, error: undefined }));
    try {
      const { items, next } = await load(at, signal);
      put((known) => ({ key, items: isFirst ? items : [...known.items, ...items], next, isLoading: false }));
    } catch (error) {
      put(() => ({ error, isLoading: false }));
    }
    if (!signal.aborted) isBusy.current = false;
  };
  useEffect(() => {
    control.current = new AbortController();
    void go(first, true);
    return () => control.current.abort();
  }, [key, round]);
  const { items, next, isLoading, error } = state;
  return {
    items,
    isLoading: isLoading || state.key !== key,
    error,
    hasMore: next !== null,
    more: () => {
      if (!isBusy.current && next !== null && error === undefined) void go(next, false);
    },
    again: () => setRound(round + 1),
  };
}
