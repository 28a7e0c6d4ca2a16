import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** What is known of something that the API was asked for. Old data stays while newer is on the way. */
export interface Known<T> {
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
}

interface Entry<T = unknown> {
  state: Signal<Known<T>>;
  load(): Promise<T>;
  run: number;
  /** By how many components it is shown. */
  shown: number;
}

const FRESH_MS = 1_000;
const entries = new Map<string, Entry>();
const loadedAt = new Map<string, number>();

/**
 * Data by a key, loaded when a component first shows it and again when it is shown later: what is there is shown at once,
 * and replaced when the newer has come. The key names all that `load` depends on; null loads nothing. Data that is younger than
 * `freshMs` is not loaded again.
 */
export function useData<T>(key: string | null, load: () => Promise<T>, freshMs = FRESH_MS): Known<T> {
  const entry = key === null ? NOTHING : entryOf(key, load);
  useEffect(() => {
    if (key === null) return;
    if (Date.now() - (loadedAt.get(key) ?? 0) > freshMs) void refresh(key);
    entry.shown++;
    return () => {
      entry.shown--;
    };
  }, [key]);
  return entry.state.value as Known<T>;
}

/** Begins to load what a component is about to show, with the same key and `load`. Gives when it is there, or failed. */
export async function prefetch<T>(key: string, load: () => Promise<T>): Promise<T | undefined> {
  const entry = entryOf(key, load);
  if (!loadedAt.has(key)) await refresh(key);
  return entry.state.peek().data as T | undefined;
}

/** Loads again all that is kept under keys that begin so: what is shown now, and the rest when it is shown. */
export function invalidate(prefix: string): void {
  for (const [key, { shown }] of entries) {
    if (!key.startsWith(prefix)) continue;
    if (shown > 0) void refresh(key);
    else loadedAt.delete(key);
  }
}

/** Puts a newer state of something in place, such as the answer to a change. */
export function remember<T>(key: string, data: T): void {
  const entry = entries.get(key);
  if (entry === undefined) return;
  entry.run++;
  entry.state.value = { data, error: undefined, isLoading: false };
}

/** Forgets everything: another user may come. */
export function forgetAll(): void {
  entries.clear();
  loadedAt.clear();
}

const NOTHING: Entry = {
  state: signal<Known<unknown>>({ data: undefined, error: undefined, isLoading: false }),
  load: () => Promise.reject(new Error("nothing to load")),
  run: 0,
  shown: 0,
};

function entryOf<T>(key: string, load: () => Promise<T>): Entry {
  const present = entries.get(key);
  if (present !== undefined) {
    present.load = load;
    return present;
  }
  const state = signal<Known<unknown>>({ data: undefined, error: undefined, isLoading: true });
  const entry: Entry = { state, load, run: 0, shown: 0 };
  entries.set(key, entry);
  return entry;
}

async function refresh(key: string): Promise<void> {
  const entry = entries.get(key);
  if (entry === undefined) return;
  loadedAt.set(key, Date.now());
  const run = ++entry.run;
  entry.state.value = { ...entry.state.value, isLoading: true };
  try {
    const data = await entry.load();
    if (run === entry.run) entry.state.value = { data, error: undefined, isLoading: false };
  } catch (error) {
    loadedAt.delete(key);
    if (run === entry.run) entry.state.value = { ...entry.state.value, error, isLoading: false };
  }
}
