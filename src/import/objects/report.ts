import type { Note, ObjectsReport, Outcome } from "../types.ts";

/** Collects what became of objects. */
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
