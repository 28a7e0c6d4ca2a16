import { describeError, RetryableError } from "../types/mod.ts";

const GIVE_UP_MS = 30_000;
/** PostgreSQL's names for the one of two transactions that it has ended: each waited for the other, or no order of the two gives what they saw. */
const ENDED_FOR_ANOTHER = new Set(["40P01", "40001"]);
/** SQLite's names for a disk that is full or fails, and for files that may not be written or are damaged. */
const SQLITE_TROUBLE = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|PERM|NOMEM|CORRUPT|NOTADB)/;
/** Bun's names for a connection that does not come about or is lost, and for a server that speaks otherwise than PostgreSQL. */
const CONNECTION_TROUBLE =
  /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT|TLS|AUTHENTICATION|UN\w+_AUTHENTICATION|SASL|CHANNEL_BINDING|INVALID_(MESSAGE|SERVER|BACKEND)|UNEXPECTED_MESSAGE)/;
/**
 * PostgreSQL's classes: the connection, a standby, limits of time, statements that were kept, the password, the database, a schema that is gone,
 * a commit of unknown end, rights, tables and columns that are gone, room and connections, an operator, its disk, a defect of its own.
 */
const SERVER_TROUBLE = /^(08|25006|25P0[34]|26|28|3D|3F|40003|42501|42P01|42703|42P05|53|55|57|58|XX)/;

/**
 * Runs `attempt` again while the store is busy. Throws RetryableError `store_busy` where it stays so, RetryableError `store_unreachable`
 * where the store could do nothing at all, and what else `attempt` throws.
 */
export async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isTrouble(error)) throw new StoreUnreachable(error);
      if (!isBusy(error)) throw error;
      if (performance.now() > giveUpAt)
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
  return code.startsWith("SQLITE_BUSY") || ENDED_FOR_ANOTHER.has(errno);
}

function isTrouble(error: unknown): boolean {
  const { code, errno } = namesOf(error);
  return SQLITE_TROUBLE.test(code) || CONNECTION_TROUBLE.test(code) || SERVER_TROUBLE.test(errno);
}

function namesOf(error: unknown): { code: string; errno: string } {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return { code: String(code), errno: typeof errno === "string" ? errno : "" };
}
