/**
 * Everything that goes wrong in a simulated run; each must come up in a run of many seeds. An old list of a bucket is not among
 * them: nothing that runs here lists files, since the catalog knows them all.
 */
export const FAULTS = [
  "delivery dropped",
  "delivery duplicated",
  "delivery delayed",
  "reader made anew",
  "publish lost",
  "publish duplicated",
  "publish refused",
  "acknowledgement lost",
  "worker killed",
  "worker killed in the middle of a flush",
  "front killed",
  "front killed between a merge and its event",
  "worker's end told",
  "worker paused past its lease",
  "compactor killed",
  "compactor killed in the middle of a job",
  "compactor paused past its claim",
  "worker joined",
  "worker left",
  "broker killed",
  "broker put back",
  "stream made anew",
  "broker clock set back",
  "project deleted",
  "disk full",
  "file torn",
  "object not stored",
  "object stored, answer lost",
  "object stored late",
  "object not read",
  "store busy",
  "transaction run twice",
  "commit unknown, did happen",
  "commit unknown, did not happen",
  "client sent again",
  "client sent again on another lane",
  "client gave up",
  "outbox delivery failed",
  "outbox answer lost",
  "event that throws",
  "event that kills",
  "event that storage refuses",
  "frame corrupt",
] as const;
export type Fault = (typeof FAULTS)[number];

/** How often each has come up. */
export class FaultCounts {
  private readonly counts = new Map<Fault, number>();

  add(fault: Fault, times = 1): void {
    this.counts.set(fault, this.of(fault) + times);
  }

  of(fault: Fault): number {
    return this.counts.get(fault) ?? 0;
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, n) => sum + n, 0);
  }

  addAll(other: FaultCounts | Partial<Record<Fault, number>>): void {
    const entries = other instanceof FaultCounts ? other.counts : Object.entries(other);
    for (const [fault, n] of entries) this.add(fault as Fault, n);
  }

  toJSON(): Partial<Record<Fault, number>> {
    return Object.fromEntries(this.counts);
  }
}
