import type { AnomalyDetector } from "../../metadata/mod.ts";

/** Of noise of the usual form: its standard deviation is so many times its median distance. */
const DEVIATION_OF_DISTANCE = 1.4826;

/** What a value is beside those that were usual. */
export interface Unusual {
  median: number;
  /** How far from it is usual; at least the noise of counts. */
  deviation: number;
  isUnusual: boolean;
}

/** `past`: the values of the same interval of the weeks before, at least one. */
export function compareWithPast(value: number, past: readonly number[], detector: AnomalyDetector): Unusual {
  const median = medianOf(past);
  const distance = medianOf(past.map((one) => Math.abs(one - median)));
  const deviation = Math.max(distance * DEVIATION_OF_DISTANCE, Math.sqrt(Math.abs(median)), 1);
  const by = value - median;
  const isFar = Math.abs(by) > detector.sensitivity * deviation;
  const isThatWay = detector.direction === "both" || (detector.direction === "above") === by > 0;
  return { median, deviation, isUnusual: isFar && isThatWay };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle]!;
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2;
}
