import type { Config } from "../../config.ts";
import type { Asker } from "../../stream/mod.ts";
import { RetryableError, TerminalError } from "../../types/mod.ts";
import { InHand } from "./inHand.ts";
import type { Question } from "./question.ts";
import { ranked } from "./rank.ts";
import { errorOf, FULL_LOAD, type RemoteAsk, type RemoteOutcome, type RemoteResult } from "./remoteMessages.ts";
import { writtenQuestion } from "./writtenQuestion.ts";

interface RemoteAskerParts {
  config: Pick<Config, "remoteQueriesMax" | "queryProjectQueueMax">;
  asker: Asker;
  log(line: string): void;
}

interface AskOptions {
  /** From now. */
  timeoutMs: number;
  signal: AbortSignal;
  /** The load of the project in this process. */
  ownLoad(): number;
  /** Takes it for this process. */
  takeHere(): void;
}

/** What one process says: a result, how full it is, or nothing that helps. */
type Said = RemoteResult | { load: number } | "nothing";

/** What is left of a time, at least 1 ms; of what is over whole seconds count, so that usually a question has all of it. */
export function leftOf(timeoutMs: number, beganAtMs: number): number {
  return Math.max(1, timeoutMs - Math.floor((performance.now() - beganAtMs) / 1_000) * 1_000);
}

/** Has questions calculated by processes on other machines, of which each has the files of its projects near. */
export class RemoteAsker {
  private readonly inHand = new InHand();
  /** Questions that were answered elsewhere; for which all were full; and tries that brought nothing. */
  readonly use = { answered: 0, full: 0, lost: 0 };

  constructor(private readonly parts: RemoteAskerParts) {}

  /** Processes that can be asked now. */
  get processes(): number {
    return this.parts.asker.offers().length;
  }

  /** Questions that others have in hand now. */
  get waiting(): number {
    return this.inHand.total;
  }

  /** What each of them tells of itself. */
  facts(): Promise<Map<string, string>> {
    return this.parts.asker.facts();
  }

  /**
   * The result of a question; null where it is to be calculated here, because nobody took it or this process has the least to do.
   * Errors: those of the calculation, and TerminalError `query_cancelled`.
   */
  async ask(question: Question, options: AskOptions): Promise<RemoteResult | null> {
    const teamId = question.environment.id;
    const processes = ranked(this.parts.asker.offers(), teamId);
    if (processes.length === 0 || !this.hasRoom(teamId)) return null;
    const leave = this.inHand.enter(teamId);
    try {
      return await this.askInTurn(
        processes.map(({ id }) => id),
        new Request(question, options),
      );
    } finally {
      leave();
    }
  }

  /** One project leaves room for the others. */
  private hasRoom(teamId: number): boolean {
    const { remoteQueriesMax, queryProjectQueueMax } = this.parts.config;
    return this.inHand.total < remoteQueriesMax && this.inHand.of(teamId) < queryProjectQueueMax;
  }

  /** By rank, while one is not full, last this process; then whoever has the least of the project to do. */
  private async askInTurn(ids: readonly string[], request: Request): Promise<RemoteResult | null> {
    const { ownLoad, takeHere } = request.options;
    let below = FULL_LOAD;
    let left = ids;
    for (;;) {
      const { result, loads } = await this.askEach(left, request, below);
      if (result !== null) return result;
      left = [...loads].flatMap(([id, load]) => (Number.isFinite(load) ? [id] : []));
      if (ownLoad() < below || left.length === 0) {
        if (loads.size > 0) this.use.full++;
        takeHere();
        return null;
      }
      // Each load is at least what was too much, so that this grows.
      below = Math.min(ownLoad(), ...loads.values()) + 1;
    }
  }

  /** The result of the first that takes the question, or the load of each that does not. */
  private async askEach(ids: readonly string[], request: Request, below: number) {
    const loads = new Map<string, number>();
    for (const id of ids) {
      const said = await this.askOne(id, request, below);
      if (said === "nothing") continue;
      if (!("load" in said)) return { result: said, loads };
      loads.set(id, said.load);
    }
    return { result: null, loads };
  }

  private async askOne(id: string, request: Request, below: number): Promise<Said> {
    const { asker, log } = this.parts;
    const { signal } = request.options;
    const payload = request.payload(below);
    if (!asker.fits(payload)) return "nothing";
    try {
      const { kind, text } = await asker.ask(id, payload, signal);
      if (kind === "busy") return { load: Number(text) };
      const outcome = JSON.parse(text) as RemoteOutcome;
      if ("failure" in outcome) throw errorOf(outcome.failure);
      this.use.answered++;
      return outcome;
    } catch (error) {
      if (signal.aborted) throw new TerminalError("query_cancelled", "the query was cancelled");
      if (!(error instanceof RetryableError) || request.leftMs <= 1) throw error;
      this.use.lost++;
      log(`${id} did not answer a question of project ${request.teamId}: ${error.message}`);
      return "nothing";
    }
  }
}

/** A question on its way. */
class Request {
  private readonly asked: Omit<RemoteAsk, "timeoutMs" | "below">;
  private readonly beganAtMs = performance.now();

  constructor(
    question: Question,
    readonly options: AskOptions,
  ) {
    const { environment, nowMs, cacheKey } = question;
    this.asked = { teamId: environment.id, question: writtenQuestion(question), nowMs, cacheKey };
  }

  get teamId(): number {
    return this.asked.teamId;
  }

  get leftMs(): number {
    return leftOf(this.options.timeoutMs, this.beganAtMs);
  }

  payload(below: number): string {
    return JSON.stringify({ ...this.asked, timeoutMs: this.leftMs, below } satisfies RemoteAsk);
  }
}
