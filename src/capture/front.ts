import type { Config } from "../config.ts";
import type { PublishBatch, Publisher } from "../stream/mod.ts";
import { describeError, type RetryableError, TerminalError } from "../types/mod.ts";
import { accepted, acceptedSilently, answerTo } from "./answer.ts";
import { readBody } from "./body.ts";
import { type Reservation, SMALL_BYTES } from "./byteBudget.ts";
import { decodePayload, type PayloadHints } from "./decode.ts";
import { digestOf } from "./jobs.ts";
import { heldBytes } from "./outline.ts";
import { OverflowBuckets } from "./overflow.ts";
import { type Payload, parsePayload } from "./payload.ts";
import type { Project } from "./projectKeys.ts";
import { type CaptureQuery, parseQuery } from "./query.ts";
import { HERE_MAX_BYTES, ownerAt, read } from "./reading.ts";
import type { Shared } from "./shared.ts";
import { type RequestContext, Sorting } from "./sort.ts";
import { claimedTokens } from "./token.ts";

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
  private readonly buckets: OverflowBuckets;

  constructor(readonly deps: CaptureDeps) {
    this.buckets = new OverflowBuckets(deps.config);
  }

  /** Never rejects: every failure has its answer. `ip` is the client's, null when it is not known. */
  async receive(request: Request, route: Route, ip: string | null): Promise<Response> {
    const reservation = this.deps.budget.reserve(ip);
    try {
      this.checkAdmission();
      const query = parseQuery(request.url);
      const nowMs = this.deps.now(request);
      const body = await this.readBody(request, route.bodyMaxBytes, ip, reservation);
      const payload = await this.readPayload(request, body, route, query, ip, reservation);
      const project = await this.deps.keys.projectOf(payload.token);
      reservation.check();
      const { digest } = payload;
      const key = request.headers.get("idempotency-key");
      const sorting = this.sorting(payload, project, {
        nowMs,
        sentAtMs: payload.sentAtMs ?? query.sentAtMs,
        ip,
        defaultName: route.defaultName,
        idempotency: key ? { key, digest } : null,
        // Ids that many share are taken as they come; only `/i/v1/…` minds them.
        isNobody: null,
      });
      await this.publishAll(sorting, payload.isSingle);
      return query.isBeacon && sorting.keptEvents > 0 ? acceptedSilently() : accepted();
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

  /** Of a large body the key is looked for while it comes in. Throws as `readBody`. */
  readBody(request: Request, maxBytes: number, address: string | null, reservation: Reservation): Promise<Buffer> {
    const { uploads, turns, keys } = this.deps;
    const onBegin = (begin: Buffer) => {
      for (const token of claimedTokens(begin)) {
        keys.projectOf(token).then(
          () => reservation.check(),
          () => {}, // it counts as unchecked; what it is is told when the body is here
        );
      }
    };
    return readBody(request, { maxBytes, uploads, turns, reservation, address, onBegin });
  }

  private async readPayload(
    request: Request,
    body: Buffer,
    { isLegacyPath }: Route,
    query: CaptureQuery,
    ip: string | null,
    reservation: Reservation,
  ): Promise<Payload & { digest: string }> {
    const { config, turns } = this.deps;
    const maxDepth = config.jsonMaxDepth;
    const maxBytes = config.batchMaxBytes;
    const isDigested = !!request.headers.get("idempotency-key");
    const hints: PayloadHints = {
      contentType: request.headers.get("content-type"),
      contentEncoding: request.headers.get("content-encoding"),
      data: query.data,
      compression: query.compression,
      isLegacyPath,
    };
    const here = async () => {
      const text = decodePayload(body, hints, { maxBytes, hereMaxBytes: HERE_MAX_BYTES });
      const digest = isDigested ? digestOf(text) : "";
      if (text.byteLength > SMALL_BYTES && turns.isOver) await turns.next();
      return { ...parsePayload(text, maxDepth, SMALL_BYTES), digest };
    };
    const input = { body, maxBytes, hints, maxDepth, isDigested };
    const sentBytes = body.byteLength; // not known any more when the body was handed over
    const payload = await read(this.deps, ownerAt(ip), body, HERE_MAX_BYTES, here, { name: "payload", input });
    reservation.take(Math.max(0, heldBytes(payload.outline) - sentBytes));
    return payload;
  }

  sorting(
    payload: Pick<Payload, "outline" | "isHistorical" | "isSingle">,
    project: Project,
    request: Omit<RequestContext, "arrivedAtMs">,
  ): Sorting {
    const arrivedAtMs = (this.deps.clockMs ?? performance.now)();
    return new Sorting(payload, project, { ...request, arrivedAtMs }, { ...this.deps, buckets: this.buckets });
  }

  /** Batch by batch. Rejects when any event may not be stored; some may be then. */
  private async publishAll(sorting: Sorting, isSingle: boolean): Promise<void> {
    do {
      const batches = await sorting.nextBatches();
      // A batch loses only such events; a request for one alone is told.
      if (isSingle && sorting.dropped.invalid_cookieless_mode !== undefined) {
        throw new TerminalError("invalid_payload", "event submitted with invalid cookieless mode");
      }
      await this.publish(batches);
    } while (sorting.hasMore);
  }

  async publish(batches: PublishBatch[]): Promise<void> {
    await Promise.all(batches.map((batch) => this.deps.publisher.publish(batch)));
  }
}
