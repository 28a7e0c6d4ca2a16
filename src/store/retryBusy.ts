import { describeError, RetryableError } from "../types/mod.ts";

const GIVE_UP_MS = 30_000;
/** PostgreSQL's name for the one of two writes that it has ended because each waited for the other. */
const DEADLOCK = "40P01";
/** SQLite's names for a disk that is full or fails, and for files that may not be written or are damaged. */
const SQLITE_TROUBLE = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|PERM|NOMEM|CORRUPT|NOTADB)/;
/** Bun's names for a connection that does not come about or is lost. */
const CONNECTION_TROUBLE = /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT)/;
/** PostgreSQL's classes: the connection, a standby, the password, the database, room and connections, an operator, its disk, a defect of its own. */
const SERVER_TROUBLE = /^(08|25006|25P03|28|3D|53|55|57|58|XX)/;

/**
 * Runs `attempt` again while the store is busy. Throws RetryableError `store_busy` where it stays so, RetryableError `store_unreachable`
 * where the store could do nothing at all, and what else `attempt` throws.
 */
export async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isTrouble(error)) throw new StoreUnreachable(error);
      if (!isBusy(error)) throw error;
      if (Date.now() > giveUpAt)
        throw new RetryableError("store_busy", "the record store stayed locked", { cause: error });
      await Bun.sleep(2 + Math.random() * 8);
    }
  }
}

/** The store is away, its disk is full, or it refuses this Weir: no fault of what was asked. */
export class StoreUnreachable extends RetryableError {
  constructor(cause: unknown) {
    super("store_unreachable", `the record store cannot be used: ${describeError(cause)}`, { cause });
  }
}

function isBusy(error: unknown): boolean {
  const { code, errno } = namesOf(error);
  return code.startsWith("SQLITE_BUSY") || errno === DEADLOCK;
}

function isTrouble(error: unknown): boolean {
  const { code, errno } = namesOf(error);
  return SQLITE_TROUBLE.test(code) || CONNECTION_TROUBLE.test(code) || SERVER_TROUBLE.test(errno);
}

function namesOf(error: unknown): { code: string; errno: string } {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return { code: String(code), errno: typeof errno === "string" ? errno : "" };
}
