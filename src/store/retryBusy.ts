import { RetryableError } from "../types/mod.ts";

const GIVE_UP_MS = 30_000;
/** PostgreSQL's name for the one of two writes that it has ended because each waited for the other. */
const DEADLOCK = "40P01";

/** Runs `attempt` again while the store is busy. Throws RetryableError `store_busy` where it stays so, and what else `attempt` throws. */
export async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > giveUpAt)
        throw new RetryableError("store_busy", "the record store stayed locked", { cause: error });
      await Bun.sleep(2 + Math.random() * 8);
    }
  }
}

function isBusy(error: unknown): boolean {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return String(code).startsWith("SQLITE_BUSY") || errno === DEADLOCK;
}
