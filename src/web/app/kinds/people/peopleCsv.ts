import { csvOf } from "../csv.ts";
import { detailOf, distinctIdOf, nameOf } from "./actor.ts";
import type { Entry } from "./usePeople.ts";

const COLUMNS = ["Name", "Detail", "Id", "Distinct id", "First seen", "Events"];

/** People as a file: a row each. */
export function csvOfPeople(entries: readonly Entry[]): string {
  return csvOf({
    columns: COLUMNS.map((label) => ({ label, isNumber: label === "Events" })),
    rows: entries.map(({ actor, events }) => [
      nameOf(actor),
      detailOf(actor),
      actor.id,
      distinctIdOf(actor) ?? null,
      actor.created_at ?? null,
      events,
    ]),
  });
}
