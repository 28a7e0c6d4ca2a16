import type { Lane } from "../../types/mod.ts";

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
