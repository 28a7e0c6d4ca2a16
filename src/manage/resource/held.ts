import { type HeldTable, holdRow } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";

/** Finds a record as it is once its other writers wait for this transaction; null where there is none. */
export const held =
  <T extends { id: number | string }, C>(table: HeldTable, find: (tx: Tx, call: C) => Promise<T | null>) =>
  async (tx: Tx, call: C): Promise<T | null> => {
    const found = await find(tx, call);
    if (found === null) return null;
    await holdRow(tx, table, found.id);
    return find(tx, call);
  };
