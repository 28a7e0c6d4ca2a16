import { type ClaimKey, claimedSince, dropClaim, renewClaim, takeClaim } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, TerminalError } from "../../types/mod.ts";

interface ResultClaimsParts {
  db: Db;
  /** Epoch milliseconds; the machine's clock. */
  now(): number;
  log(line: string): void;
}

/** A process that is silent for this long has lost its claims. */
const CLAIM_TTL_MS = 5_000;
const RENEWALS_PER_TTL = 3;
const CLAIM_LOOK_MS = 50;

/** The right to calculate a result, which one process has at a time. */
export class ResultClaims {
  private readonly holder = crypto.randomUUID();

  constructor(private readonly parts: ResultClaimsParts) {}

  /** Runs `body` with the claim; null where another process has it. `computedAtMs`: the time the result will carry. */
  async during<T>(claim: ClaimKey, computedAtMs: number, body: () => Promise<T>): Promise<T | null> {
    if (!(await this.take(claim, computedAtMs))) return null;
    const renewal = setInterval(() => void this.renew(claim), CLAIM_TTL_MS / RENEWALS_PER_TTL);
    try {
      return await body();
    } finally {
      clearInterval(renewal);
      await this.parts.db.write((tx) => dropClaim(tx, claim, this.holder)).catch((error) => this.logStore(error));
    }
  }

  /**
   * Waits while another process has the claim, and gives the time that its result carries, if it has left one. Throws TerminalError
   * `query_cancelled` when `signal` fires.
   */
  async endOfOthers(claim: ClaimKey, signal: AbortSignal): Promise<number> {
    const { db, now } = this.parts;
    for (let sinceMs = Number.POSITIVE_INFINITY; ; await Bun.sleep(CLAIM_LOOK_MS)) {
      if (signal.aborted) throw new TerminalError("query_cancelled", "the query was cancelled");
      const claimedMs = await db.read((tx) => claimedSince(tx, claim, now()));
      if (claimedMs === null) return sinceMs;
      sinceMs = claimedMs;
    }
  }

  /** A store that cannot be written to (a full disk) is no reason to give no answer. */
  private async take(claim: ClaimKey, computedAtMs: number): Promise<boolean> {
    const o = { holder: this.holder, computedAtMs, nowMs: this.parts.now(), ttlMs: CLAIM_TTL_MS };
    try {
      return await this.parts.db.write((tx) => takeClaim(tx, claim, o));
    } catch (error) {
      this.logStore(error);
      return true;
    }
  }

  private async renew(claim: ClaimKey): Promise<void> {
    const o = { holder: this.holder, expiresAtMs: this.parts.now() + CLAIM_TTL_MS };
    await this.parts.db.write((tx) => renewClaim(tx, claim, o)).catch((error) => this.logStore(error));
  }

  private logStore(error: unknown): void {
    this.parts.log(`the record store could not be written to: ${describeError(error)}`);
  }
}
