import { ActiveWalker } from "./activeWalker.ts";
import { NO_CODE } from "./actorWalk.ts";
import type { Found } from "./found.ts";
import { FunnelCounts } from "./funnelCounts.ts";
import { FunnelFound } from "./funnelFound.ts";
import { FunnelWalker } from "./funnelWalker.ts";
import { PathsWalker } from "./pathsWalker.ts";
import type { Program } from "./program.ts";
import type { Walker } from "./walker.ts";

/** Which columns the rows of a program have behind actor and time, and their order. */
export interface RowFields {
  /** How many bits `steps` has. */
  bits: number;
  hasExcluded: boolean;
  hasValue: boolean;
  /** Codes are in the order of values. */
  isInOrder: boolean;
  /** In order of actor, value and time; else of actor and time. */
  isByValue: boolean;
  /** Rows of one actor and time are in order of `uuid`. */
  isByUuid: boolean;
}

const PLAIN = {
  hasExcluded: false,
  hasValue: false,
  isInOrder: false,
  isByValue: false,
  isByUuid: false,
};

/** What the rows of a program are. */
export function rowsOf(program: Program): RowFields {
  switch (program.kind) {
    case "paths":
      return { ...PLAIN, bits: 1, hasValue: true, isByUuid: true };
    case "active":
      return { ...PLAIN, bits: program.steps };
    case "funnelCounts":
      return rowsOf(program.funnel);
    case "funnel": {
      const { steps: bits, attribution, exclusions } = program;
      const [hasValue, isByValue] = [attribution !== null, attribution === "all"];
      return { ...PLAIN, bits, hasExcluded: exclusions.length > 0, hasValue, isInOrder: true, isByValue };
    }
  }
}

/** Whether a walk gives numbers of what it has counted, and no actors: a row for each interval, column or value. */
export const isCounted = ({ kind }: Program): boolean => kind === "active" || kind === "funnelCounts";

/** The text whose code a walker must know; null for none. */
export const textOf = (program: Program): string | null =>
  program.kind === "funnelCounts" ? (program.shown?.other ?? null) : null;

/** What a walker knows beside the rows. */
export interface Known {
  /** The code of `textOf`, `NO_CODE` where no row has that text. */
  code: number;
  /** By actor, when it was made, in epoch ms; NaN where that is not known. */
  madeMs: Float64Array;
}

export const NOTHING_KNOWN: Known = { code: NO_CODE, madeMs: new Float64Array(0) };

/** A walker. `give` is told of each `Found` that is full, and of the last one; it must take what it needs before it returns. */
export function walkerOf(program: Program, give: (found: Found) => void, known: Known = NOTHING_KNOWN): Walker {
  switch (program.kind) {
    case "paths":
      return new PathsWalker(program, give);
    case "active":
      return new ActiveWalker(program, known.madeMs, give);
    case "funnel":
      return new FunnelWalker(program, new FunnelFound(program, give));
    case "funnelCounts":
      return new FunnelWalker(program.funnel, new FunnelCounts(program, known.code, give));
  }
}
