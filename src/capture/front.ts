import type { Config } from "../config.ts";
import type { Publisher } from "../stream/mod.ts";
import { describeError, type RetryableError, TerminalError } from "../types/mod.ts";
import { accepted, acceptedSilently, answerTo } from "./answer.ts";
import { readBody } from "./body.ts";
import type { ByteBudget, Reservation } from "./byteBudget.ts";
import { decodePayload } from "./decode.ts";
import { OverflowBuckets } from "./overflow.ts";
import { type Payload, parsePayload } from "./payload.ts";
import type { Project, ProjectKeys } from "./projectKeys.ts";
import { type CaptureQuery, parseQuery } from "./query.ts";
import type { Shared } from "./shared.ts";
import { batchesOf, type RequestContext, type Sorted, sortOut } from "./sort.ts";

/** What capture needs of the stream. */
export type EventPublisher = Pick<Publisher, "publish">;

export interface CaptureDeps extends Shared {
  config: Pick<
    Config,
    | "batchMaxBytes"
    | "eventBodyMaxBytes"
    | "eventMaxBytes"
    | "jsonMaxDepth"
    | "warningsMaxPerRequest"
    | "trustProxy"
    | "overflowRate"
    | "overflowBurst"
    | "overflowIdsMax"
  >;
  publisher: EventPublisher;
  /** Asked before a body is read: the reason to take nothing now (disk full, broker away), or null. */
  admission: { check(): RetryableError | null };
  /** The time that counts for a request, epoch milliseconds. */
  now(request: Request): number;
  /** A clock that never goes back; that of the process when absent. */
  clockMs?(): number;
  log?(line: string): void;
}

/** What a path means for its requests. */
export interface Route {
  /** A body, as sent, must be smaller. */
  bodyMaxBytes: number;
  isLegacyPath: boolean;
  /** What an event without a name is called. */
  defaultName: string | null;
}

/** Takes capture requests from the bytes of the body to the acknowledged batch. */
export class Front {
  readonly budget: ByteBudget;
  readonly keys: ProjectKeys;
  private readonly buckets: OverflowBuckets;

  constructor(readonly deps: CaptureDeps) {
    this.budget = deps.budget;
    this.keys = deps.keys;
    this.buckets = new OverflowBuckets(deps.config);
  }

  /** Never rejects: every failure has its answer. `ip` is the client's, null when it is not known. */
  async receive(request: Request, route: Route, ip: string | null): Promise<Response> {
    const reservation = this.budget.reserve();
    try {
      this.checkAdmission();
      const query = parseQuery(request.url);
      const sorted = await this.prepare(request, route, query, ip, reservation);
      await this.publish(sorted);
      const isAnyKept = sorted.events.length + sorted.overflow.length > 0;
      return query.isBeacon && isAnyKept ? acceptedSilently() : accepted();
    } catch (error) {
      const answer = answerTo(error);
      if (answer.status === 500) this.deps.log?.(`capture: ${describeError(error)}`);
      return answer;
    } finally {
      reservation.release();
    }
  }

  /** Throws the RetryableError for which nothing is taken now. */
  checkAdmission(): void {
    const refusal = this.deps.admission.check();
    if (refusal !== null) throw refusal;
  }

  private async prepare(
    request: Request,
    route: Route,
    query: CaptureQuery,
    ip: string | null,
    reservation: Reservation,
  ): Promise<Sorted> {
    const { batchMaxBytes, jsonMaxDepth } = this.deps.config;
    const nowMs = this.deps.now(request);
    const body = await readBody(request, route.bodyMaxBytes, reservation);
    const hints = {
      contentType: request.headers.get("content-type"),
      contentEncoding: request.headers.get("content-encoding"),
      data: query.data,
      compression: query.compression,
      isLegacyPath: route.isLegacyPath,
    };
    const decoded = decodePayload(body, hints, batchMaxBytes, reservation);
    const payload = parsePayload(decoded, jsonMaxDepth);
    const project = await this.keys.projectOf(payload.token);
    const sentAtMs = payload.sentAtMs ?? query.sentAtMs;
    const idempotencyKey = request.headers.get("idempotency-key");
    const { defaultName } = route;
    // Ids that many share are taken as they come; only `/i/v1/…` minds them.
    const context = { nowMs, sentAtMs, ip, defaultName, idempotencyKey, body: decoded, isNobody: null };
    const sorted = this.sortOut(payload, project, context);
    // A batch loses only such events; a request for one alone is told.
    if (payload.isSingle && sorted.dropped.invalid_cookieless_mode !== undefined) {
      throw new TerminalError("invalid_payload", "event submitted with invalid cookieless mode");
    }
    return sorted;
  }

  sortOut(
    payload: Pick<Payload, "itemCount" | "item" | "isHistorical">,
    project: Project,
    request: Omit<RequestContext, "arrivedAtMs">,
  ): Sorted {
    const arrivedAtMs = (this.deps.clockMs ?? performance.now)();
    return sortOut(payload, project, { ...request, arrivedAtMs }, this.deps.config, this.buckets);
  }

  /** All or nothing: rejects when any of them may not be stored. */
  async publish(sorted: Sorted): Promise<void> {
    await Promise.all(batchesOf(sorted).map((batch) => this.deps.publisher.publish(batch)));
  }
}
