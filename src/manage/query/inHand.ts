/** Questions that are being answered, by project. */
export class InHand {
  private readonly byTeam = new Map<number, number>();
  private count = 0;

  get total(): number {
    return this.count;
  }

  of(teamId: number): number {
    return this.byTeam.get(teamId) ?? 0;
  }

  /** One more; the returned function is to be called once, when it has ended. */
  enter(teamId: number): () => void {
    this.count++;
    this.byTeam.set(teamId, this.of(teamId) + 1);
    return () => {
      this.count--;
      const left = this.of(teamId) - 1;
      if (left > 0) this.byTeam.set(teamId, left);
      else this.byTeam.delete(teamId);
    };
  }
}
