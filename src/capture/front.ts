import type { Config } from "../config.ts";
import {
  type AcceptedEvent,
  type DropCause,
  describeError,
  type Lane,
  type RetryableError,
  uuidV7,
} from "../types/mod.ts";
import { accepted, answerTo } from "./answer.ts";
import { decodeText, readBody } from "./body.ts";
import { ByteBudget, type Reservation } from "./byteBudget.ts";
import { type EventContext, normaliseEvent } from "./normalise.ts";
import { type Payload, parsePayload } from "./payload.ts";
import { ProjectKeys, type Projects } from "./projectKeys.ts";

/** What one request gives to the stream. */
export interface EventBatch {
  teamId: number;
  lane: Lane;
  events: AcceptedEvent[];
  dropped: Partial<Record<DropCause, number>>;
}

/** Resolves when all of the batch is stored durably; rejects with a RetryableError when that is not certain. */
export interface EventPublisher {
  publish(batch: EventBatch): Promise<void>;
}

export interface CaptureDeps {
  config: Pick<
    Config,
    "batchMaxBytes" | "eventMaxBytes" | "jsonMaxDepth" | "inflightMaxBytes" | "keyCacheTtlMs" | "keyCacheMax"
  >;
  publisher: EventPublisher;
  projects: Projects;
  /** Asked before a body is read: the reason to take nothing now (disk full, broker away), or null. */
  admission: { check(): RetryableError | null };
  /** The time that counts for a request, epoch milliseconds. */
  now(request: Request): number;
  log?(line: string): void;
}

/** Takes capture requests from the bytes of the body to the acknowledged batch. */
export class Front {
  private readonly budget: ByteBudget;
  private readonly keys: ProjectKeys;

  constructor(private readonly deps: CaptureDeps) {
    this.budget = new ByteBudget(deps.config.inflightMaxBytes);
    this.keys = new ProjectKeys(deps.projects, deps.config.keyCacheTtlMs, deps.config.keyCacheMax);
  }

  /** Never rejects: every failure has its answer. */
  async receive(request: Request): Promise<Response> {
    const reservation = this.budget.reserve();
    try {
      const refusal = this.deps.admission.check();
      if (refusal !== null) throw refusal;
      await this.deps.publisher.publish(await this.prepare(request, reservation));
      return accepted();
    } catch (error) {
      const answer = answerTo(error);
      if (answer.status === 500) this.deps.log?.(`capture: ${describeError(error)}`);
      return answer;
    } finally {
      reservation.release();
    }
  }

  private async prepare(request: Request, reservation: Reservation): Promise<EventBatch> {
    const { batchMaxBytes, eventMaxBytes, jsonMaxDepth } = this.deps.config;
    const nowMs = this.deps.now(request);
    const body = await readBody(request, batchMaxBytes, reservation);
    const text = decodeText(body, request.headers.get("content-encoding"), batchMaxBytes, reservation);
    const payload = parsePayload(text, jsonMaxDepth);
    const teamId = await this.keys.teamOf(payload.token);
    const context = { teamId, nowMs, eventMaxBytes, newUuid: () => uuidV7(nowMs) };
    return { teamId, lane: payload.isHistorical ? "history" : "live", ...sortOut(payload, context) };
  }
}

/** Good events are kept, bad ones counted: one never costs the other. */
function sortOut(payload: Payload, context: EventContext): Pick<EventBatch, "events" | "dropped"> {
  const events: AcceptedEvent[] = [];
  const dropped: EventBatch["dropped"] = {};
  for (let i = 0; i < payload.items.length; i++) {
    const result = normaliseEvent(payload.items[i]!, payload.textOf(i), context);
    if (typeof result === "string") dropped[result] = (dropped[result] ?? 0) + 1;
    else events.push(result);
  }
  return { events, dropped };
}
