import { describeError, RetryableError } from "../types/mod.ts";
import type { Actor, Delivered, StoredRow } from "./actor.ts";

export interface StepResult {
  rows: StoredRow[];
  failed: { at: Delivered; detail: string }[];
}

/**
 * Runs the actors over a batch. A failure is narrowed down by halves to the events that cause it; everything else
 * goes on (invariant 10). Retryable failures pass through to the caller.
 */
export function runActors(actors: readonly Actor[], batch: readonly Delivered[]): StepResult {
  if (batch.length === 0) return { rows: [], failed: [] };
  try {
    return { rows: actors.flatMap((actor) => actor.step(batch).rows), failed: [] };
  } catch (error) {
    if (error instanceof RetryableError) throw error;
    if (batch.length === 1) return { rows: [], failed: [{ at: batch[0]!, detail: describeError(error) }] };
    const half = batch.length >> 1;
    const first = runActors(actors, batch.slice(0, half));
    const second = runActors(actors, batch.slice(half));
    return { rows: [...first.rows, ...second.rows], failed: [...first.failed, ...second.failed] };
  }
}
