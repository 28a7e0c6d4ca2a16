import type { Config } from "../config.ts";
import type { PublishBatch, Publisher } from "../stream/mod.ts";
import {
  type DropCause,
  describeError,
  EventFlag,
  type OutgoingEvent,
  type RetryableError,
  uuidV7,
} from "../types/mod.ts";
import { accepted, acceptedSilently, answerTo } from "./answer.ts";
import { readBody } from "./body.ts";
import { ByteBudget, type Reservation } from "./byteBudget.ts";
import { decodePayload } from "./decode.ts";
import { idempotentUuids } from "./idempotency.ts";
import { type EventContext, normaliseEvent } from "./normalise.ts";
import { type Payload, parsePayload } from "./payload.ts";
import { type Project, ProjectKeys, type Projects } from "./projectKeys.ts";
import { type CaptureQuery, parseQuery } from "./query.ts";
import { Warnings } from "./warnings.ts";

/** What capture needs of the stream. */
export type EventPublisher = Pick<Publisher, "publish">;

export interface CaptureDeps {
  config: Pick<
    Config,
    | "batchMaxBytes"
    | "eventBodyMaxBytes"
    | "eventMaxBytes"
    | "jsonMaxDepth"
    | "warningsMaxPerRequest"
    | "trustProxy"
    | "inflightMaxBytes"
    | "keyCacheTtlMs"
    | "keyCacheMax"
  >;
  publisher: EventPublisher;
  projects: Projects;
  /** Asked before a body is read: the reason to take nothing now (disk full, broker away), or null. */
  admission: { check(): RetryableError | null };
  /** The time that counts for a request, epoch milliseconds. */
  now(request: Request): number;
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

  constructor(readonly deps: CaptureDeps) {
    this.budget = new ByteBudget(deps.config.inflightMaxBytes);
    this.keys = new ProjectKeys(deps.projects, deps.config.keyCacheTtlMs, deps.config.keyCacheMax);
  }

  /** Never rejects: every failure has its answer. `ip` is the client's, null when it is not known. */
  async receive(request: Request, route: Route, ip: string | null): Promise<Response> {
    const reservation = this.budget.reserve();
    try {
      this.checkAdmission();
      const query = parseQuery(request.url);
      const batch = await this.prepare(request, route, query, ip, reservation);
      await this.deps.publisher.publish(batch);
      return query.isBeacon && batch.events.length > 0 ? acceptedSilently() : accepted();
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
  ): Promise<PublishBatch> {
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
    const context = { ...route, nowMs, sentAtMs, ip, idempotencyKey, body: decoded.text };
    return this.sortOut(payload, project, context);
  }

  /** Good events are kept, bad ones counted: one never costs the other. */
  sortOut(
    payload: Pick<Payload, "itemCount" | "item" | "isHistorical">,
    project: Project,
    request: RequestContext,
    onDrop?: (index: number, cause: DropCause) => void,
  ): PublishBatch {
    const warnings = new Warnings(this.deps.config.warningsMaxPerRequest);
    const events: OutgoingEvent[] = [];
    const dropped: PublishBatch["dropped"] = {};
    let index = 0;
    const context = this.contextOf(project, request, warnings, () => index);
    for (; index < payload.itemCount; index++) {
      const result = normaliseEvent(payload.item(index), context);
      if (typeof result !== "string") {
        events.push(result);
        continue;
      }
      dropped[result] = (dropped[result] ?? 0) + 1;
      onDrop?.(index, result);
    }
    const batch: PublishBatch = {
      teamId: project.teamId,
      lane: payload.isHistorical ? "history" : "live",
      events,
      dropped,
    };
    if (warnings.list.length > 0) batch.warnings = warnings.list;
    return batch;
  }

  private contextOf(project: Project, request: RequestContext, warnings: Warnings, index: () => number): EventContext {
    const { nowMs, sentAtMs, ip, defaultName, idempotencyKey } = request;
    const derived =
      idempotencyKey === null || idempotencyKey === ""
        ? null
        : idempotentUuids(project.teamId, idempotencyKey, request.body);
    return {
      ...project,
      nowMs,
      sentAtMs,
      sentAtMember: sentAtMs === null ? "" : `"$sent_at":"${new Date(sentAtMs).toISOString()}"`,
      ipMember: ip === null ? "" : `"$ip":${JSON.stringify(ip)}`,
      eventMaxBytes: this.deps.config.eventMaxBytes,
      defaultName,
      newUuid: derived === null ? () => uuidV7(nowMs) : () => derived(index()),
      newUuidFlag: derived === null ? EventFlag.ServerUuid : 0,
      warn: (type, details) => warnings.add(type, details),
    };
  }
}

/** What all events of a request have in common besides their project. */
interface RequestContext {
  nowMs: number;
  sentAtMs: number | null;
  ip: string | null;
  defaultName: string | null;
  idempotencyKey: string | null;
  /** Text of the body. */
  body: string;
}
