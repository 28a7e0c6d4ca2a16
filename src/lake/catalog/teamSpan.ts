import type { SegmentFacts, TeamRange } from "./types.ts";

/** What the ranges of its projects say of a whole segment. */
export function teamSpan(teams: readonly TeamRange[]): Pick<SegmentFacts, "teamId" | "rowCount" | "minMs" | "maxMs"> {
  const [first, ...others] = teams;
  return {
    teamId: first === undefined || others.length > 0 ? null : first.teamId,
    rowCount: teams.reduce((sum, team) => sum + team.rowCount, 0),
    minMs: Math.min(...teams.map((team) => team.minMs)),
    maxMs: Math.max(...teams.map((team) => team.maxMs)),
  };
}
