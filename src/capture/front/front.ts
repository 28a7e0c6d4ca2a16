import type { Config } from "../../config.ts";
import type { PublishBatch, Publisher } from "../../stream/mod.ts";
import { describeError, type RetryableError, requestIdOf, TerminalError } from "../../types/mod.ts";
import { digestOf, type JobOutput } from "../aside/jobs.ts";
import { HERE_MAX_BYTES, ownerAt, read } from "../aside/reading.ts";
import { readBody } from "../body/body.ts";
import { type Reservation, SMALL_BYTES } from "../body/byteBudget.ts";
import { decodePayload, type PayloadHints } from "../body/decode.ts";
import { heldBytes } from "../outline/outline.ts";
import { parsePayload } from "../payload/payload.ts";
import { type CaptureQuery, parseQuery } from "../payload/query.ts";
import { claimedTokens } from "../payload/token.ts";
import { accepted, acceptedSilently, answerTo } from "./answer.ts";
import { OverflowBuckets } from "./overflow.ts";
import type { Project } from "./projectKeys.ts";
import type { RequestContext } from "./requestContext.ts";
import type { Shared } from "./shared.ts";
import { type SortedPayload, Sorting, type SortTools } from "./sort.ts";

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
  log?(line: string, requestId?: string): void;
}

/** The rules of a path. */
export interface Route {
  /** A body, as sent, must be smaller. */
  bodyMaxBytes: number;
  isLegacyPath: boolean;
  /** What an event without a name is called. */
  defaultName: string | null;
}

/** Takes capture requests from the bytes of the body to the acknowledged batch. */
export class Front {
  private readonly tools: SortTools;

  constructor(readonly deps: CaptureDeps) {
    const { config, turns, aside } = deps;
    this.tools = { config, turns, aside, buckets: new OverflowBuckets(config) };
  }

  /** Never rejects: every failure has its answer. `ip` is the client's, null when it is not known. */
  async receive(request: Request, route: Route, ip: string | null): Promise<Response> {
    const reservation = this.deps.budget.reserve(ip);
    try {
      this.checkAdmission();
      const query = parseQuery(request.url);
      const nowMs = this.deps.now(request);
      const body = await this.readBody(request, route.bodyMaxBytes, ip, reservation);
      const sentBytes = body.byteLength; // the length is lost when the memory is handed over
      const read = this.readPayload(request, body, route, query, ip);
      const payload = read instanceof Promise ? await read : read;
      reservation.takeRead(heldBytes(payload.outline) - sentBytes);
      const project = await this.deps.keys.projectOf(payload.token);
      reservation.check();
      const { digest, isSingle } = payload;
      const key = request.headers.get("idempotency-key");
      const sorting = this.sorting(payload, project, {
        nowMs,
        sentAtMs: payload.sentAtMs ?? query.sentAtMs,
        ip,
        defaultName: route.defaultName,
        idempotency: key ? { key, digest } : null,
        // Ids that many clients share are taken as they come; only `/i/v1/…` checks them.
        isNobody: null,
      });
      do {
        const sorted = sorting.nextBatches();
        const batches = sorted instanceof Promise ? await sorted : sorted;
        // A batch loses such events alone; a request of a single event is refused.
        if (isSingle && sorting.dropped.invalid_cookieless_mode !== undefined) {
          throw new TerminalError("invalid_payload", "event submitted with invalid cookieless mode");
        }
        await this.publish(batches);
      } while (sorting.hasMore);
      return query.isBeacon && sorting.keptEvents > 0 ? acceptedSilently() : accepted();
    } catch (error) {
      const answer = answerTo(error);
      if (answer.status === 500) this.deps.log?.(`capture: ${describeError(error)}`, requestIdOf(request));
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
          () => {}, // it stays unchecked; the fault is reported when the body is here
        );
      }
    };
    return readBody(request, { maxBytes, uploads, turns, reservation, address, onBegin });
  }

  private readPayload(
    request: Request,
    body: Buffer,
    { isLegacyPath }: Route,
    query: CaptureQuery,
    ip: string | null,
  ): JobOutput<"payload"> | Promise<JobOutput<"payload">> {
    const { batchMaxBytes: maxBytes, jsonMaxDepth: maxDepth } = this.deps.config;
    const { headers } = request;
    const isDigested = !!headers.get("idempotency-key");
    const hints: PayloadHints = {
      contentType: headers.get("content-type"),
      contentEncoding: headers.get("content-encoding"),
      data: query.data,
      compression: query.compression,
      isLegacyPath,
    };
    const here = () => {
      const text = decodePayload(body, hints, { maxBytes, hereMaxBytes: HERE_MAX_BYTES });
      return { ...parsePayload(text, maxDepth, SMALL_BYTES), digest: isDigested ? digestOf(text) : "" };
    };
    const input = { body, maxBytes, hints, maxDepth, isDigested };
    return read(this.deps, ownerAt(ip), body, HERE_MAX_BYTES, here, { name: "payload", input });
  }

  sorting(payload: SortedPayload, project: Project, request: RequestContext): Sorting {
    const arrivedAtMs = (this.deps.clockMs ?? performance.now)();
    return new Sorting(payload, project, request, arrivedAtMs, this.tools);
  }

  /** Rejects when any of them may not be stored; some may be then. */
  async publish(batches: PublishBatch[]): Promise<void> {
    await Promise.all(batches.map((batch) => this.deps.publisher.publish(batch)));
  }
}
