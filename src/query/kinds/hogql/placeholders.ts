import { filtersOf } from "../../filter/filters.ts";
import { filterTree } from "../../filter/filterTree.ts";
import { operatorCondition } from "../../filter/operators.ts";
import { textSubject } from "../../filter/subjects.ts";
import { conditionsIn, eventsScope, scopeOf } from "../../hogql/compile/embedded.ts";
import {
  type Compilation,
  insideCompilation,
  type PlaceholderValue,
  type Scope,
  UnsetDate,
} from "../../hogql/compile/scope.ts";
import type { Source } from "../../hogql/schema/source.ts";
import { call, field } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { HogqlError } from "../../shape/errors.ts";
import { insideOf, type QueryContext } from "../../source/context.ts";
import { allOf, type Sql, sql } from "../../sql/sql.ts";
import { parseDate } from "../../time/dates.ts";
import { instantValue, literal } from "../../value/literals.ts";
import { typeOf, type Value, value } from "../../value/types.ts";
import { arrayOfValues } from "../../value/unify.ts";
import type { HogqlQuery } from "./node.ts";

const NO_BOUNDS = null;

/** What `{filters}`, `{variables.x}` and the query's own values stand for. Errors: HogqlError, TerminalError `invalid_query`. */
export function placeholdersOf(query: HogqlQuery, context: QueryContext): Map<string, PlaceholderValue> {
  const known = new Map<string, PlaceholderValue>();
  const values = query.values ?? {};
  if (Object.hasOwn(values, "filters") && query.filters != null) {
    throw new HogqlError("Query contains 'filters' both as placeholder and as a query parameter.");
  }
  const range = rangeOf(query, context);
  known.set("filters", filters(query, range, context));
  known.set("filters.dateRange.from", dateOf(range.from, "filters.dateRange.from"));
  known.set("filters.dateRange.to", dateOf(range.to, "filters.dateRange.to"));
  for (const [key, given] of Object.entries(values)) known.set(key, constant(given, key, context));
  for (const variable of Object.values(query.variables ?? {})) {
    const { code_name: codeName, value: given, default_value: otherwise, isNull } = variableOf(variable);
    if (typeof codeName !== "string") throw new HogqlError("A variable needs a code_name.");
    known.set(`variables.${codeName}`, constant(isNull ? null : (given ?? otherwise ?? null), codeName, context));
  }
  return known;
}

function variableOf(variable: unknown): { [key: string]: unknown } {
  return typeof variable === "object" && variable !== null ? { ...variable } : {};
}

function constant(given: unknown, key: string, context: QueryContext): PlaceholderValue {
  return { compile: () => constantValue(given, key, context), bounds: NO_BOUNDS };
}

function constantValue(given: unknown, key: string, context: QueryContext): Value {
  if (given == null) return literal(null);
  if (typeof given === "string" || typeof given === "number" || typeof given === "boolean") return literal(given);
  if (!Array.isArray(given)) {
    throw new HogqlError(`The value of {${key}} must be a string, a number, a boolean, null or a list of them.`);
  }
  return arrayOfValues(
    given.map((item) => constantValue(item, key, context)),
    context,
  );
}

interface Range {
  from: Temporal.ZonedDateTime | null;
  /** Exclusive, and not padded to the end of a day. */
  to: Temporal.ZonedDateTime | null;
}

function rangeOf(query: HogqlQuery, context: QueryContext): Range {
  const range = query.filters?.dateRange;
  const at = (text: string | null | undefined) => (text == null || text === "" ? null : parseDate(text, context).at);
  return { from: range?.date_from === "all" ? null : at(range?.date_from), to: at(range?.date_to) };
}

function dateOf(at: Temporal.ZonedDateTime | null, placeholder: string): PlaceholderValue {
  return {
    bounds: NO_BOUNDS,
    compile: () => {
      if (at === null) throw new UnsetDate(placeholder);
      return instantValue(at);
    },
  };
}

/** What `{filters}` looks at in a SELECT: where properties are compiled, and the time it bounds. */
interface Target {
  time: Value;
  conditions: (filters: unknown, place: string) => Sql[];
}

function filters(query: HogqlQuery, { from, to }: Range, context: QueryContext): PlaceholderValue {
  return {
    bounds: { fromMs: from?.epochMilliseconds ?? null, toMs: to?.epochMilliseconds ?? null },
    compile: (scope) => {
      const { time, conditions: read } = targetOf(scope, scope.compilation, context);
      const conditions = read(query.filters?.properties, "filters.properties");
      if (query.filters?.filterTestAccounts) {
        const test = targetOf(scope, insideCompilation(scope.compilation), insideOf(context));
        conditions.push(...test.conditions(context.testAccountFilters, "test_account_filters"));
      }
      if (to !== null) conditions.push(sql`${time.sql} < ${instantValue(to).sql}`);
      if (from !== null) conditions.push(sql`${time.sql} >= ${instantValue(from).sql}`);
      return value(allOf(conditions), typeOf("bool"));
    },
  };
}

function targetOf(scope: Scope, compilation: Compilation, context: QueryContext): Target {
  const events = scope.events()?.table;
  if (events !== undefined) {
    return {
      time: value(events.column("timestamp"), typeOf("datetime")),
      conditions: (filters, place) =>
        conditionsIn(filtersOf(filters, context, place), eventsScope(events, compilation)),
    };
  }
  const sessions = scope.tableNamed("sessions");
  if (sessions !== undefined) {
    return {
      time: sessions.field(["$start_timestamp"])!.value,
      conditions: (filters, place) =>
        conditionsIn(sessionFilters(filters, sessions, context, place), scopeOf(sessions, compilation)),
    };
  }
  const groups = scope.tableNamed("groups");
  if (groups === undefined) {
    throw new HogqlError(
      "Cannot use 'filters' placeholder in a SELECT clause that does not select from the events, sessions, logs, traces or groups table.",
    );
  }
  return {
    time: groups.field(["created_at"])!.value,
    conditions(filters, place) {
      filterTree(filters, place, () => {
        throw new HogqlError("Filters by properties are not supported when selecting from groups only.");
      });
      return [];
    },
  };
}

/** Filters of sessions where there are no events. */
function sessionFilters(filters: unknown, sessions: Source, context: QueryContext, place: string): Expression[] {
  const condition = filterTree(filters, place, (filter, at) => {
    if (filter.type !== "session" || typeof filter.key !== "string") {
      throw new HogqlError("Can only use session properties in a filter when selecting from only the sessions table.");
    }
    const { key } = filter;
    if (sessions.field([key]) === null) throw new HogqlError(`Unable to resolve field: ${key}`);
    const subject = textSubject(call("toString", field(key)));
    return operatorCondition(subject, filter.operator ?? "exact", filter.value ?? null, { context, place: at });
  });
  return condition === null ? [] : [condition];
}
