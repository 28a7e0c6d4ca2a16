import { readdirSync, readFileSync } from "node:fs";
import { inTurns } from "../../src/intake/mergeTurns.ts";
import type { Bus, Frame, PublisherOptions } from "../../src/stream/mod.ts";
import { type AcceptedEvent, LANES, type Lane, RawEvent, UUID_BYTES } from "../../src/types/mod.ts";
import { until } from "../support/broker.ts";

export const PARTITIONS = 4;
export const MiB = 1024 * 1024;

export const PUBLISHER: PublisherOptions = {
  inTurns,
  generation: 1,
  partitions: PARTITIONS,
  frameMaxBytes: 32 * 1024,
  frameLingerMs: 2,
  publishTimeoutMs: 30_000,
};

export function eventOf(fields: Partial<AcceptedEvent> = {}): AcceptedEvent {
  return {
    teamId: 1,
    uuid: crypto.randomUUID(),
    event: "$pageview",
    distinctId: "ann",
    timestampMs: 1_700_000_000_000,
    properties: "{}",
    elementsChain: "",
    flags: 0,
    mergedAtMs: 0,
    mergeSequence: 0,
    ...fields,
  };
}

/** The same as the front makes it of a body; the id is ASCII, no text holds a quote. */
export function rawEventOf(fields: Partial<AcceptedEvent & { added: string }> = {}): RawEvent {
  const { teamId, flags, timestampMs, uuid, event, distinctId, properties } = eventOf(fields);
  const bytes = Buffer.from(`[ "${uuid}","${event}","${distinctId}",${properties}]`);
  const name = 3 + UUID_BYTES + 3;
  const nameEnd = name + Buffer.byteLength(event);
  const id = nameEnd + 3;
  const idEnd = id + distinctId.length;
  const places = [3, name, nameEnd, id, idEnd, idEnd + 2, bytes.length - 1] as const;
  return new RawEvent(teamId, flags, timestampMs, bytes, ...places, fields.added ?? "");
}

export async function makeStreams(bus: Bus, maxBytes = 64 * MiB): Promise<void> {
  for (const lane of LANES) await bus.ensureStream({ lane, generation: 1, maxBytes });
}

/** Stops a process, and waits until each of its threads stands. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const threads = `/proc/${pid}/task`;
  await until(() =>
    readdirSync(threads).every((id) => /^State:\s+T/m.test(readFileSync(`${threads}/${id}/status`, "utf8"))),
  );
}

/** All frames of a lane that are stored now, by partition. */
export async function readLane(bus: Bus, lane: Lane = "live", fromSequence = 1): Promise<Frame[][]> {
  const readers = Array.from({ length: PARTITIONS }, (_, partition) =>
    bus.reader({ lane, generation: 1, partition, fromSequence, maxBufferBytes: 256 * MiB }),
  );
  await until(() => readers.every((reader) => reader.caughtUp));
  const frames = readers.map((reader) => [...reader.buffered]);
  for (const reader of readers) reader.close();
  return frames;
}

export async function readEvents(bus: Bus, lane: Lane = "live"): Promise<AcceptedEvent[]> {
  return (await readLane(bus, lane)).flat().flatMap((frame) => frame.decode());
}
