import { isIllegalForPersons } from "../../persons/mod.ts";
import { type DropCause, type OutgoingEvent, textOf } from "../../types/mod.ts";
import { decodePayload, type PayloadHints } from "../body/decode.ts";
import type { EventFacts } from "../event/eventContext.ts";
import { normaliseEvent } from "../event/normalise.ts";
import { Members } from "../outline/outline.ts";
import { type Payload, parsePayload } from "../payload/payload.ts";
import { readQuestion } from "../payload/question.ts";
import { type BatchV1, readBatch } from "../payload/v1Batch.ts";
import type { HeadersV1 } from "../payload/v1Headers.ts";

/** An event whose properties are a text of its own, or why it is set aside, and what was warned of. */
interface MadeEvent {
  result: OutgoingEvent | DropCause;
  warnings: [type: string, details: Record<string, string | null>][];
}

interface Body {
  body: Buffer;
  maxBytes: number;
}

/**
 * What a large body needs done in one piece. Each takes and gives plain data, so that it can be done in another thread, and
 * throws TerminalErrors alone.
 */
export const JOBS = {
  payload({ body, maxBytes, hints, maxDepth, isDigested }: Body & PayloadJob): Payload & { digest: string } {
    const text = decodePayload(body, hints, { maxBytes, hereMaxBytes: maxBytes });
    const digest = isDigested ? digestOf(text) : "";
    return { ...parsePayload(text, maxDepth), digest };
  },

  batchV1({ body, maxBytes, ...o }: Body & BatchV1Job): BatchV1 {
    return readBatch(body, { ...o, maxBytes, hereMaxBytes: maxBytes });
  },

  question({ body, maxBytes, hints }: Body & { hints: PayloadHints }): { token: string } {
    return { token: readQuestion(body, hints, { maxBytes, hereMaxBytes: maxBytes }) };
  },

  event({ bytes, hasEscapes, entries, facts, uuid, mindsNobodies }: EventJob): MadeEvent {
    const members = new Members();
    members.load({ bytes, hasEscapes }, entries, 0, entries.length);
    const warnings: MadeEvent["warnings"] = [];
    const result = normaliseEvent(members, {
      ...facts,
      newUuid: () => uuid,
      isNobody: mindsNobodies ? isIllegalForPersons : null,
      warn: (...warning) => warnings.push(warning),
    });
    if (typeof result !== "string") result.properties = textOf(result.properties);
    return { result, warnings };
  },
};

interface PayloadJob {
  hints: PayloadHints;
  maxDepth: number;
  isDigested: boolean;
}

interface BatchV1Job {
  contentEncoding: string | null;
  maxDepth: number;
  headers: HeadersV1;
}

/** One event of a body: where its members lie in `bytes`, as `Members` has it. */
interface EventJob {
  bytes: Buffer;
  hasEscapes: boolean;
  entries: Int32Array;
  facts: EventFacts;
  /** Of the event, if it has none of its own. */
  uuid: string;
  mindsNobodies: boolean;
}

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
export type JobInput<N extends JobName> = Parameters<Jobs[N]>[0];
export type JobOutput<N extends JobName> = ReturnType<Jobs[N]>;

/** Of a request's body, for uuids that a copy of it gets too. */
export function digestOf(text: Uint8Array): string {
  return Bun.SHA256.hash(text, "hex");
}
