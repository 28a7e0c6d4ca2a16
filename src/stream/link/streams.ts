import {
  DiscardPolicy,
  type MsgRequest,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import { type Lane, TerminalError } from "../../types/mod.ts";
import { ApiError, apiErrorCode, type Link, unavailable } from "./link.ts";

const DUPLICATE_WINDOW_MS = 120_000;
const NANOS_PER_MS = 1_000_000;

/** The state of a stream. `created` tells it from one made again under the same name. */
export interface StreamFacts {
  created: string;
  /** Lowest sequence that may still be read; lastSequence + 1 when the stream is empty. */
  firstSequence: number;
  /** Highest sequence ever given. */
  lastSequence: number;
  messages: number;
  sizeBytes: number;
}

/**
 * Makes a lane's stream when it is missing and brings its size to `maxBytes`. Reads back what was made, because an old
 * server ignores what it does not know: TerminalError `stream_differs` names the first field that is not as asked.
 */
export async function ensureStream(
  link: Link,
  o: { lane: Lane; generation: number; maxBytes: number },
): Promise<StreamFacts> {
  const wanted = { ...streamConfig(o.lane, o.generation, o.maxBytes), ...replicasOf(link) };
  const info = await makeStream(link, wanted);
  const isAsked = info.config.max_bytes === o.maxBytes && hasReplicas(link, info);
  const now = isAsked
    ? info
    : await link.api((jsm) => jsm.streams.update(wanted.name, { max_bytes: o.maxBytes, ...replicasOf(link) }));
  assertConfig(wanted, now.config);
  return factsOf(now);
}

/** What is asked for of a new stream, and of one that is brought up to date; nothing where no number is set. */
export const replicasOf = ({ replicas }: Link) => (replicas === null ? {} : { num_replicas: replicas });

/** Whether a stream has as many copies as are asked for. */
export function hasReplicas({ replicas }: Link, { config }: StreamInfo): boolean {
  return replicas === null || config.num_replicas === replicas;
}

/** Null when there is no such stream. Throws RetryableError `broker_unavailable` while it has no leader. */
export async function streamFacts(link: Link, lane: Lane, generation: number): Promise<StreamFacts | null> {
  const info = await findStream(link, streamName(lane, generation));
  return info === null ? null : factsOf(info);
}

/** Highest sequence that is stored for one partition; 0 when nothing is. */
export async function lastSequenceOf(link: Link, lane: Lane, generation: number, partition: number): Promise<number> {
  return (await lastOf(link, streamName(lane, generation), subjectOf(lane, generation, partition))) ?? 0;
}

/** Sequence of the newest message of a subject; null: there is none. */
export function lastOf(link: Link, stream: string, subject: string): Promise<number | null> {
  return sequenceOf(link, stream, { last_by_subj: subject });
}

/** Sequence of the first message from one on, of a subject that may have wildcards, as the leader of the stream knows it; null: there is none. */
export function nextOf(link: Link, stream: string, subject: string, fromSequence: number): Promise<number | null> {
  return sequenceOf(link, stream, { seq: fromSequence, next_by_subj: subject });
}

/** The library's type does not have `next_by_subj`, which servers know since 2.9. */
type MessageQuery = MsgRequest & { next_by_subj?: string };

async function sequenceOf(link: Link, stream: string, query: MessageQuery): Promise<number | null> {
  return (await link.again((jsm) => jsm.streams.getMessage(stream, query)))?.seq ?? null;
}

/**
 * When the broker stored a message, epoch milliseconds, as readers of the stream see it. Throws RetryableError
 * `broker_unavailable` when it is not there.
 */
export async function storedTimeOf(link: Link, lane: Lane, generation: number, sequence: number): Promise<number> {
  const message = await link.again((jsm) => jsm.streams.getMessage(streamName(lane, generation), { seq: sequence }));
  if (message === null) throw unavailable(`message ${sequence} of ${lane} is not there`);
  return Math.floor(message.time.getTime());
}

/** Makes a lane's stream refuse everything new; it cannot be undone. */
export async function sealStream(link: Link, lane: Lane, generation: number): Promise<void> {
  const name = streamName(lane, generation);
  const info = await findStream(link, name);
  if (info === null || info.config.sealed) return;
  const sealed = { max_bytes: info.config.max_bytes, sealed: true };
  await link.api((jsm) => jsm.streams.update(name, sealed));
}

/** Removes a lane's stream with all it holds, and the room reserved for it; nothing happens when it is not there. */
export async function deleteStream(link: Link, lane: Lane, generation: number): Promise<void> {
  try {
    await link.api((jsm) => jsm.streams.delete(streamName(lane, generation)));
  } catch (error) {
    if (apiErrorCode(error) !== ApiError.streamNotFound) throw error;
  }
}

export async function findStream(link: Link, name: string): Promise<StreamInfo | null> {
  try {
    return led(await link.again((jsm) => jsm.streams.info(name)));
  } catch (error) {
    if (apiErrorCode(error) === ApiError.streamNotFound) return null;
    throw error;
  }
}

/**
 * What the leader of a stream says of it. While a cluster elects one, a copy answers, which may be behind or have another time of creation.
 * So has a server that makes its copy at this moment: it names itself as the leader, but none of the other copies.
 * Throws RetryableError `broker_unavailable`.
 */
function led(info: StreamInfo): StreamInfo {
  const { cluster, config } = info;
  if (cluster === undefined) return info;
  const isAlone = config.num_replicas > 1 && (cluster.replicas ?? []).length === 0;
  if (!cluster.leader || isAlone) throw unavailable(`${config.name} has no leader`);
  return info;
}

/**
 * The stream of this name as it stands, made when there is none. Others may make it at the same moment: a refusal counts
 * only while there is still no stream. One that another has just made can be seen before it answers on its subjects.
 */
export async function makeStream(
  link: Link,
  wanted: Partial<StreamConfig> & { name: string; subjects: string[] },
): Promise<StreamInfo> {
  const found = await findStream(link, wanted.name);
  if (found !== null) return found;
  try {
    return led(await link.api((jsm) => jsm.streams.add(wanted)));
  } catch (error) {
    const made = await findStream(link, wanted.name);
    if (made === null) throw error;
    return made;
  }
}

/** Asserts what was asked for, field by field; other fields are left to the server. */
export function assertConfig(wanted: Partial<StreamConfig> & { name: string }, found: StreamConfig): void {
  for (const key of Object.keys(wanted) as (keyof StreamConfig)[]) {
    const [asked, got] = [JSON.stringify(wanted[key]), JSON.stringify(found[key])];
    if (asked !== got) {
      throw new TerminalError("stream_differs", `Stream ${wanted.name} has ${key} ${got} instead of ${asked}`);
    }
  }
}

function streamConfig(lane: Lane, generation: number, maxBytes: number) {
  return {
    name: streamName(lane, generation),
    subjects: [laneSubjects(lane, generation)],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_age: 0,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
  } satisfies Partial<StreamConfig>;
}

function factsOf({ created, state }: StreamInfo): StreamFacts {
  return {
    created: String(created),
    firstSequence: state.messages === 0 ? state.last_seq + 1 : state.first_seq,
    lastSequence: state.last_seq,
    messages: state.messages,
    sizeBytes: state.bytes,
  };
}

/**
 * Names of streams and subjects. The generation is part of both: a stream that was made again starts counting at 1,
 * so a sequence alone identifies nothing (protocol rule 2).
 */
export function streamName(lane: Lane, generation: number): string {
  return `WEIR_${lane.toUpperCase()}_g${generation}`;
}

export function subjectOf(lane: Lane, generation: number, partition: number): string {
  return `events.${lane}.g${generation}.${partition}`;
}

/** Every partition of a lane. */
export function laneSubjects(lane: Lane, generation: number): string {
  return `events.${lane}.g${generation}.*`;
}

export function partitionOfSubject(subject: string): number {
  return Number(subject.slice(subject.lastIndexOf(".") + 1));
}
