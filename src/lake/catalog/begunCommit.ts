import type { Db, Tx } from "../../store/mod.ts";
import type { IdentityNode } from "../../types/mod.ts";
import { saveIdentities } from "./identities.ts";

/**
 * The transaction of a commit whose files are still being written: the nodes of merges, most of its work, are in it already. Nobody sees
 * them, and no other commit waits for them, until it ends.
 */
export class BegunCommit {
  private readonly rest = Promise.withResolvers<(tx: Tx) => Promise<unknown>>();
  private readonly done: Promise<unknown>;

  constructor(db: Db, nodes: readonly IdentityNode[]) {
    this.done = db.write(async (tx) => {
      await saveIdentities(db, tx, nodes);
      const rest = await this.rest.promise;
      return rest(tx);
    });
    // Told by `finish`: until then nobody waits.
    this.done.catch(() => {});
  }

  /** Does the rest in the same transaction and ends it; throws as a write does, also what has failed before. */
  finish<T>(rest: (tx: Tx) => Promise<T>): Promise<T> {
    this.rest.resolve(rest);
    return this.done as Promise<T>;
  }

  /** Nothing has happened when it returns, unless it was finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.rest.resolve(() => Promise.reject(new GivenUp()));
    await this.done.catch(() => {});
  }
}

class GivenUp extends Error {}

/**
 * Begins the commit of a flush that merges. Null where it is no use: without merges, and with SQLite, which has one writer at a time and
 * works on the worker's own thread.
 */
export function beginCommit(db: Db, nodes: readonly IdentityNode[]): BegunCommit | null {
  return db.dialect === "sqlite" || nodes.length === 0 ? null : new BegunCommit(db, nodes);
}
