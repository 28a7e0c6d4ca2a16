/** Whose events a timeline has. */
export type Subject =
  | { kind: "person"; id: string }
  /** Of an id that no person has: its events made none. */
  | { kind: "distinctId"; id: string }
  | { kind: "group"; index: number; key: string };

/** Tells subjects apart, for keys of what is loaded. */
export const subjectKey = (subject: Subject): string => JSON.stringify(subject);

/** What the list of events is asked, so that it has only those of a subject. */
export function conditionsOf(subject: Subject): Record<string, string> {
  switch (subject.kind) {
    case "person":
      return { person_id: subject.id };
    case "distinctId":
      return { distinct_id: subject.id };
    case "group": {
      const filter = { type: "event", key: `$group_${subject.index}`, operator: "exact", value: [subject.key] };
      return { properties: JSON.stringify([filter]) };
    }
  }
}
