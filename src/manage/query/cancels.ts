import { cancelQuery, cancelsSince, forgetCancels } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError } from "../../types/mod.ts";
import { type ApiError, notFound } from "../http/errors.ts";

interface CancelsParts {
  db: Db;
  now(): number;
  log(line: string): void;
}

interface Watched {
  teamId: number;
  id: string;
  sinceMs: number;
  stop: AbortController;
}

/** ApiError 404 for a query that is not there, or not there for its asker. */
export const unknownQuery = ({ teamId, id }: { teamId: number; id: string }): ApiError =>
  notFound(`Query ${id} not found for team ${teamId}`);

/** With what it takes to end a query, an order is carried out within a second. */
const LOOK_MS = 200;
/** Longer than any query runs. */
const FORGET_MS = 3_600_000;

/**
 * Orders to end a query, by the id its client gave it. They go through the record store, so that it does not matter
 * which process gets the order and which one runs the query.
 */
export class Cancels {
  private readonly watched = new Set<Watched>();
  private timer: Timer | null = null;

  constructor(private readonly parts: CancelsParts) {}

  /** Runs `body` with a signal that fires when an order of `sinceMs` or later says that the query is to end. */
  async during<T>(
    query: { teamId: number; id: string; sinceMs: number },
    body: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const watched: Watched = { ...query, stop: new AbortController() };
    this.watched.add(watched);
    this.timer ??= setInterval(() => void this.look(), LOOK_MS);
    try {
      return await body(watched.stop.signal);
    } finally {
      this.watched.delete(watched);
      if (this.watched.size === 0 && this.timer !== null) {
        clearInterval(this.timer);
        this.timer = null;
      }
    }
  }

  /** Orders the end of a query of a user; one that is unknown is no error. Throws ApiError 404 for one that others ask for. */
  async order(query: { teamId: number; id: string; userId: number }): Promise<{ wasDone: boolean }> {
    const nowMs = this.parts.now();
    const outcome = await this.parts.db.write(async (tx) => {
      await forgetCancels(tx, nowMs - FORGET_MS);
      return cancelQuery(tx, query, nowMs);
    });
    if (outcome === null) throw unknownQuery(query);
    await this.look();
    return outcome;
  }

  private async look(): Promise<void> {
    if (this.watched.size === 0) return;
    const sinceMs = Math.min(...[...this.watched].map((entry) => entry.sinceMs));
    try {
      const orders = await this.parts.db.read((tx) => cancelsSince(tx, sinceMs));
      for (const order of orders) {
        for (const entry of this.watched) {
          const isMeant = entry.teamId === order.teamId && entry.id === order.id && order.atMs >= entry.sinceMs;
          if (isMeant) entry.stop.abort();
        }
      }
    } catch (error) {
      this.parts.log(`looking for cancelled queries: ${describeError(error)}`);
    }
  }
}
