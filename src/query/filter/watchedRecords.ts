import type { ActionRecord, CohortRecord, QueryRecords } from "../source/records.ts";
import { isMomentary, lookInside } from "./inside.ts";

/** Records that note what a query finds in them, however it names it and however deep cohorts nest. */
export class WatchedRecords implements QueryRecords {
  readonly inside?: WatchedRecords;
  private wasMomentary = false;

  constructor(private readonly records: QueryRecords) {
    if (records.inside !== undefined) this.inside = new WatchedRecords(records.inside);
  }

  /** Whether the moment is part of what some cohort or action means that was looked at. */
  get isMomentary(): boolean {
    return this.wasMomentary || this.inside?.isMomentary === true;
  }

  propertyType: QueryRecords["propertyType"] = (owner, key) => this.records.propertyType(owner, key);
  cohort = (id: number) => this.noteCohort(this.records.cohort(id));
  cohortNamed = (name: string) => this.noteCohort(this.records.cohortNamed(name));
  action = (id: number) => this.noteAction(this.records.action(id));
  actionNamed = (name: string) => this.noteAction(this.records.actionNamed(name));

  private noteCohort(cohort: CohortRecord | null): CohortRecord | null {
    this.note(cohort?.properties);
    return cohort;
  }

  private noteAction(action: ActionRecord | null): ActionRecord | null {
    this.note(action?.steps.map((step) => step.properties));
    return action;
  }

  private note(filters: unknown): void {
    this.wasMomentary ||= isMomentary(lookInside(filters));
  }
}
