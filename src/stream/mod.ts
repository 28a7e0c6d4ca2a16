/** Subjects, frames, publishing, reading, liveness, and the broker itself. The only folder that knows NATS. */
export { findNatsServer } from "./broker/binary.ts";
export { type Broker, type BrokerOptions, startBroker } from "./broker/broker.ts";
export { type Bus, connectBus } from "./bus.ts";
export { decodeFrame } from "./frame/codec.ts";
export { addDropped } from "./frame/counts.ts";
export { FrameWriter } from "./frame/frameWriter.ts";
export { type BrokerAddress, plainAddress } from "./link/address.ts";
export { identityPartitionOf, partitionOf } from "./link/partition.ts";
export { laneSubjects, type StreamFacts, streamName, subjectOf } from "./link/streams.ts";
export type { Membership, MembershipOptions } from "./membership.ts";
export type { PublishBatch } from "./publish/parts.ts";
export type { Publisher, PublisherOptions } from "./publish/publisher.ts";
export { type CutTurns, TURN_GAP_MS, type Turn } from "./publish/turns.ts";
export type { Frame, FrameReader, FrameReaderOptions } from "./read/frameReader.ts";
export type { Queued } from "./read/laneCounts.ts";
export type { QueueReader } from "./read/queueReader.ts";
export type { Task, TaskOutcome, WorkQueue, WorkQueueOptions } from "./work/workQueue.ts";
