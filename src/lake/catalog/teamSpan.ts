import type { SegmentFacts, TeamRange } from "./types.ts";

/** Facts of a segment without typed columns and numbers. */
export const PLAIN = {
  squashedThrough: 0,
  columns: 0,
  exceptions: [],
  isNumbered: false,
  rollupZone: null,
  hasJourney: false,
  hasPersonRows: false,
};

/** Facts of a whole segment, from the ranges of its projects. */
export function teamSpan(teams: readonly TeamRange[]): Pick<SegmentFacts, "teamId" | "rowCount" | "minMs" | "maxMs"> {
  const [first, ...others] = teams;
  return {
    teamId: first === undefined || others.length > 0 ? null : first.teamId,
    rowCount: teams.reduce((sum, team) => sum + team.rowCount, 0),
    minMs: Math.min(...teams.map((team) => team.minMs)),
    maxMs: Math.max(...teams.map((team) => team.maxMs)),
  };
}
