import type { Config } from "../../config.ts";
import { findEnvironment } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import type { Taken } from "../../stream/mod.ts";
import { RetryableError, WeirError } from "../../types/mod.ts";
import type { Calculator } from "./calculator.ts";
import { InHand } from "./inHand.ts";
import { failureOf, type RemoteAsk, type RemoteOutcome } from "./remoteMessages.ts";
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

  /** Takes a question, or says what the load of its project is; without room for more of them that is endless. */
  take(payload: string): Taken {
    const ask = JSON.parse(payload) as RemoteAsk;
    const load = this.loadOf(ask);
    if (load >= ask.below) return { busy: String(load) };
    const leave = this.inHand.enter(ask.teamId);
    return { work: (signal) => this.work(ask, signal).finally(leave) };
  }

  private loadOf({ teamId }: RemoteAsk): number {
    const { remoteQueriesMax, queryProjectQueueMax, queryProcesses } = this.parts.config;
    const ofTeam = this.inHand.of(teamId);
    const hasRoom = this.inHand.total < remoteQueriesMax && ofTeam < queryProjectQueueMax;
    return hasRoom ? ofTeam / queryProcesses : Number.POSITIVE_INFINITY;
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
