import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../ui/notice.tsx";

/** A part of the pages that is loaded when it is first needed. */
export class Chunk<T> {
  loaded: T | undefined;
  private loading: Promise<T> | undefined;

  constructor(private readonly load: () => Promise<T>) {}

  /** Loads once; after a failure the next call tries again. */
  get(): Promise<T> {
    this.loading ??= this.load().then(
      (loaded) => {
        this.loaded = loaded;
        return loaded;
      },
      (error: unknown) => {
        this.loading = undefined;
        throw error;
      },
    );
    return this.loading;
  }
}

/** The chunk, undefined until it is there, and what to show in its place where it does not come. */
export function useChunk<T>(chunk: Chunk<T>): { loaded: T | undefined; problem: JSX.Element | null } {
  const [loaded, setLoaded] = useState(() => chunk.loaded);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    let isGone = false;
    if (isFailed || loaded !== undefined) return;
    chunk.get().then(
      (part) => !isGone && setLoaded(() => part),
      () => !isGone && setFailed(true),
    );
    return () => {
      isGone = true;
    };
  }, [chunk, loaded, isFailed]);
  const problem = isFailed ? (
    <Problem error={new Error("The chart could not be loaded.")} onRetry={() => setFailed(false)} />
  ) : null;
  return { loaded, problem };
}
