/** What became of an object. */
export type Outcome = "added" | "same" | "changed" | "overwritten" | "left_out";

/** What a user is to know of an object: that it differs, or why it was not taken. */
export interface Note {
  kind: string;
  /** There. */
  id: number | null;
  name: string;
  outcome: Outcome;
  reason: string;
}

export interface ObjectsReport {
  /** By kind, then by outcome. */
  counts: Record<string, Partial<Record<Outcome, number>>>;
  notes: Note[];
}

export class Reporting {
  readonly report: ObjectsReport = { counts: {}, notes: [] };

  count(kind: string, outcome: Outcome, by = 1): void {
    const counts = this.report.counts[kind] ?? {};
    this.report.counts[kind] = counts;
    counts[outcome] = (counts[outcome] ?? 0) + by;
  }

  note(note: Note): void {
    this.count(note.kind, note.outcome);
    this.report.notes.push(note);
  }
}
