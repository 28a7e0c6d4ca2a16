import type { GroupIndex } from "../../types/mod.ts";
import { filterCondition } from "../filter/filters.ts";
import type { QueryContext } from "../source/context.ts";
import { EventsTable } from "../source/events.ts";
import type { SessionWindow } from "../source/sessions.ts";
import { allOf, type Sql, sql } from "../sql/sql.ts";
import type { Breakdown } from "./breakdowns.ts";

/** What holds for all of an insight, of whatever kind. */
export interface Insight {
  context: QueryContext;
  /** The sessions that any of its series looks at. */
  sessions: SessionWindow;
  /** Its filters, and whether those of test accounts hold too. */
  filters: { properties?: unknown; filterTestAccounts?: boolean | null };
  /** The share of the distinct ids that is read. */
  samplingFactor: number;
  /** The type whose groups are counted instead of people; null for people. */
  actorGroup: GroupIndex | null;
  /** What its rows are told apart by. */
  breakdown: Breakdown | null;
  /** Whether an actor counts in his first bucket only: for a running total. */
  isRunning: boolean;
}

/** One use of the events; a scan of its own has one. `days`: by day, where that is enough. */
export const eventsOf = ({ sessions }: Insight, days: string | null = null): EventsTable =>
  new EventsTable("e", { sessions, days });

/** Filters of the whole insight, and those of test accounts where they are asked for. Errors: TerminalError `invalid_query`. */
export function insightFilters({ filters, context }: Insight, events: EventsTable): Sql {
  const test = filters.filterTestAccounts ? context.testAccountFilters : null;
  return allOf([
    filterCondition(filters.properties, events, context, "properties"),
    filterCondition(test, events, context, "test_account_filters"),
  ]);
}

/** Who did it: a person, a distinct id or a group, as the insight and the environment say; NULL for nobody. */
export class Actors {
  private readonly group: GroupIndex | null;

  /** `group`: a type whose groups are counted, whatever the insight says. */
  constructor(
    private readonly insight: Insight,
    group: GroupIndex | null,
  ) {
    this.group = group ?? insight.actorGroup;
  }

  private get arePersons(): boolean {
    return this.group === null && !this.insight.context.aggregateByDistinctId;
  }

  /** What tells them apart; cheaper than their ids. */
  key(events: EventsTable): Sql {
    return this.arePersons ? events.who() : this.id(events);
  }

  /** What others know them by. */
  id(events: EventsTable): Sql {
    if (this.group !== null) return sql`nullif(${events.property(`$group_${this.group}`)}, '')`;
    return this.arePersons ? events.personId() : events.column("distinct_id");
  }

  /** How many did it, of the rows that meet `filter`; the result has at most `groups` rows. */
  count(events: EventsTable, { filter, groups }: { filter: Sql; groups: number }): Sql {
    if (this.arePersons) return events.countPersons({ groups: () => groups, where: filter });
    return sql`count(DISTINCT ${this.id(events)}) FILTER (WHERE ${filter})`;
  }
}
