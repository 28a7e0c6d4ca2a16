/** Whose turn it is among projects: the one whose last turn is longest ago. */
export class ProjectTurns {
  private readonly last = new Map<number, number>();
  private turn = 0;

  /** `teams`: those that wait, in the order in which they would go first. Null where none does. */
  next(teams: readonly number[]): number | null {
    const lastTurn = (teamId: number) => this.last.get(teamId) ?? 0;
    const [teamId] = teams.toSorted((a, b) => lastTurn(a) - lastTurn(b));
    if (teamId === undefined) return null;
    this.last.set(teamId, ++this.turn);
    return teamId;
  }
}
