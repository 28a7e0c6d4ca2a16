import type { Config } from "../../config.ts";
import { findEnvironment } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import type { Taken } from "../../stream/mod.ts";
import { RetryableError, WeirError } from "../../types/mod.ts";
import type { Calculator } from "./calculator.ts";
import { InHand } from "./inHand.ts";
import { FULL_LOAD, failureOf, type RemoteAsk, type RemoteOutcome } from "./remoteMessages.ts";
import { readQuestion } from "./writtenQuestion.ts";

interface RemoteAnswererParts {
  config: Pick<Config, "remoteQueriesMax" | "queryProjectQueueMax" | "queryProcesses">;
  db: Db;
  calculator: Calculator;
  log(line: string): void;
}

/** A longer result is read from the store. */
const TEXT_MAX_BYTES = 256 * 1024;

/** Calculates for other processes what they are asked. */
export class RemoteAnswerer {
  private readonly inHand = new InHand();

  constructor(private readonly parts: RemoteAnswererParts) {}

  /** Takes a question, or says how full this process is: questions of the project for each process of DuckDB. */
  take(payload: string): Taken {
    const ask = JSON.parse(payload) as RemoteAsk;
    if (!this.hasRoom(ask)) return { busy: String(this.loadOf(ask)) };
    const leave = this.inHand.enter(ask.teamId);
    return { work: (signal) => this.work(ask, signal).finally(leave) };
  }

  private hasRoom(ask: RemoteAsk): boolean {
    const { remoteQueriesMax, queryProjectQueueMax } = this.parts.config;
    if (this.inHand.total >= remoteQueriesMax) return false;
    return ask.waits ? this.inHand.of(ask.teamId) < queryProjectQueueMax : this.loadOf(ask) < FULL_LOAD;
  }

  private loadOf({ teamId }: RemoteAsk): number {
    return this.inHand.of(teamId) / this.parts.config.queryProcesses;
  }

  private async work(ask: RemoteAsk, signal: AbortSignal): Promise<string> {
    const outcome = await this.outcomeOf(ask, signal).catch((error: unknown): RemoteOutcome => {
      if (error instanceof Error && !(error instanceof WeirError)) this.parts.log(error.stack ?? error.message);
      return { failure: failureOf(error) };
    });
    return JSON.stringify(outcome);
  }

  private async outcomeOf(ask: RemoteAsk, signal: AbortSignal): Promise<RemoteOutcome> {
    const { db, calculator } = this.parts;
    const environment = await db.read((tx) => findEnvironment(tx, ask.teamId));
    const question = environment === null ? null : readQuestion(ask.question, environment, ask.nowMs);
    if (question?.cacheKey !== ask.cacheKey) {
      throw new RetryableError("question_differs", "the question has another meaning here");
    }
    const { text, computedAtMs } = await calculator.calculate(question, signal, { timeoutMs: ask.timeoutMs });
    const { whole } = text;
    return { text: whole === null || Buffer.byteLength(whole) > TEXT_MAX_BYTES ? null : whole, computedAtMs };
  }
}
