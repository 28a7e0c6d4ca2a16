import type { Json } from "../../types/mod.ts";
import type { QueryContext } from "../source/context.ts";
import type { ActionRecord, CohortRecord, QueryRecords } from "../source/records.ts";
import { type Calendar, parseDate } from "../time/dates.ts";
import { endsOf } from "./events/ends.ts";
import type { EventsQuery } from "./events/node.ts";
import { type HogqlQuery, readNode } from "./nodes.ts";
import type { TrendsQuery } from "./trends/node.ts";
import { needsEarliest, rangesOf } from "./trends/plan.ts";

/** HogQL that reads the clock, or rolls dice. */
const MOMENTARY_HOGQL = /\b(now\w*|today|yesterday|cur(?:rent_?\w*|date)|rand\w*|generateUUID\w*)\b/i;
/** Parts of a filter that may: a date as the operator of a property, HogQL inside a node. */
const MOMENTARY_FILTER = /"(is_date_\w+|hogql|math_hogql)"/;

/**
 * The dates that a query means now (engine rule 21): as long as they and the stored data stay the same, so does the
 * answer. Null where the moment itself is part of the question, so that no two answers need be equal. What cohorts and
 * actions say is not known here, but once the query has been run: see `WatchedRecords`.
 */
export function basisOf(node: Json, calendar: Calendar & Pick<QueryContext, "testAccountFilters">): string | null {
  try {
    const query = readNode(node);
    const { filterTestAccounts } = query.kind === "HogQLQuery" ? (query.filters ?? {}) : query;
    const settings = filterTestAccounts ? (calendar.testAccountFilters ?? null) : null;
    if (MOMENTARY_FILTER.test(JSON.stringify(settings))) return null;
    if (query.kind === "EventsQuery") return eventsBasis(query, calendar);
    return query.kind === "HogQLQuery" ? hogqlBasis(query, calendar) : trendsBasis(query, calendar);
  } catch {
    // What cannot be read has no answer that could be kept.
    return null;
  }
}

function trendsBasis(query: TrendsQuery, calendar: Calendar): string | null {
  if (MOMENTARY_FILTER.test(JSON.stringify([query.series, query.properties, query.breakdownFilter]))) return null;
  const ranges = rangesOf(query, calendar, null).map(({ from, to }) => {
    // From the first event on: that is a matter of the data.
    return `${needsEarliest(query) ? "all" : from.epochMilliseconds}/${to.epochMilliseconds}`;
  });
  return ranges.join(" ");
}

/** Without an end it lists the events of the moment. */
function eventsBasis(query: EventsQuery, calendar: Calendar): string | null {
  const { after, before, ...rest } = query;
  if (!before || after == null) return null;
  const json = JSON.stringify(rest);
  if (MOMENTARY_HOGQL.test(json) || MOMENTARY_FILTER.test(json)) return null;
  const ends = endsOf(query, calendar);
  return `${ends.after?.at.epochMilliseconds ?? ""}/${ends.before.at.epochMilliseconds}`;
}

function hogqlBasis(query: HogqlQuery, calendar: Calendar): string | null {
  if (MOMENTARY_HOGQL.test(query.query) || MOMENTARY_FILTER.test(JSON.stringify(query.filters ?? null))) return null;
  const end = (text: string | null | undefined) =>
    text == null || text === "" || text === "all" ? "" : parseDate(text, calendar).at.epochMilliseconds;
  const range = query.filters?.dateRange;
  return `${end(range?.date_from)}/${end(range?.date_to)}`;
}

/** Records that note what a query finds in them, however it names it and however deep cohorts nest. */
export class WatchedRecords implements QueryRecords {
  /** Whether the moment is part of what some cohort or action means that was looked at. */
  isMomentary = false;

  constructor(private readonly records: QueryRecords) {}

  propertyType: QueryRecords["propertyType"] = (owner, key) => this.records.propertyType(owner, key);
  cohort = (id: number) => this.noteCohort(this.records.cohort(id));
  cohortNamed = (name: string) => this.noteCohort(this.records.cohortNamed(name));
  action = (id: number) => this.noteAction(this.records.action(id));
  actionNamed = (name: string) => this.noteAction(this.records.actionNamed(name));

  private noteCohort(cohort: CohortRecord | null): CohortRecord | null {
    this.note(cohort?.properties ?? null);
    return cohort;
  }

  private noteAction(action: ActionRecord | null): ActionRecord | null {
    this.note(action?.steps.map((step) => step.properties) ?? null);
    return action;
  }

  private note(filters: Json): void {
    this.isMomentary ||= MOMENTARY_FILTER.test(JSON.stringify(filters));
  }
}
