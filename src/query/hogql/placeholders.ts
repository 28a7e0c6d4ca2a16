import type { QueryContext } from "../context.ts";
import { parseDate } from "../dates.ts";
import { HogqlError } from "../errors.ts";
import { filterCondition } from "../filters.ts";
import type { HogqlQuery } from "../nodes.ts";
import { allOf, type Sql, sql } from "../sql.ts";
import { instantValue, literal } from "./convert.ts";
import type { PlaceholderValue } from "./scope.ts";
import { typeOf, value } from "./types.ts";

/** What `{filters}`, `{variables.x}` and the query's own values stand for. */
export function placeholdersOf(query: HogqlQuery, context: QueryContext): Map<string, PlaceholderValue> {
  const known = new Map<string, PlaceholderValue>();
  for (const [key, given] of Object.entries(query.values ?? {})) known.set(key, constant(given, key));
  for (const variable of Object.values(query.variables ?? {})) {
    const { code_name, value: given, isNull } = variable as { code_name?: unknown; value?: unknown; isNull?: unknown };
    if (typeof code_name !== "string") throw new HogqlError("A variable needs a code_name.");
    known.set(`variables.${code_name}`, constant(isNull ? null : given, code_name));
  }
  known.set("filters", filters(query, context));
  return known;
}

function constant(given: unknown, key: string): PlaceholderValue {
  const isScalar =
    given == null || typeof given === "string" || typeof given === "number" || typeof given === "boolean";
  if (!isScalar) throw new HogqlError(`The value of {${key}} must be a string, a number, a boolean or null.`);
  return { compile: () => literal(given ?? null), bounds: null };
}

/** Property filters and the date range; its end is exclusive and not padded. */
function filters(query: HogqlQuery, context: QueryContext): PlaceholderValue {
  const range = query.filters?.dateRange;
  const at = (text: string | null | undefined) => (text == null || text === "" ? null : parseDate(text, context).at);
  const from = range?.date_from === "all" ? null : at(range?.date_from);
  const to = at(range?.date_to);
  return {
    bounds: { fromMs: from?.epochMilliseconds ?? null, toMs: to?.epochMilliseconds ?? null },
    compile: (scope) => {
      const events = scope.events()?.table;
      if (events === undefined) {
        throw new HogqlError("The placeholder {filters} can only be used where FROM is events.");
      }
      const conditions: Sql[] = [filterCondition(query.filters?.properties, events, context, "filters.properties")];
      if (query.filters?.filterTestAccounts) {
        conditions.push(filterCondition(context.testAccountFilters, events, context, "test_account_filters"));
      }
      const timestamp = events.column("timestamp");
      if (to !== null) conditions.push(sql`${timestamp} < ${instantValue(to).sql}`);
      if (from !== null) conditions.push(sql`${timestamp} >= ${instantValue(from).sql}`);
      return value(allOf(conditions), typeOf("bool"));
    },
  };
}
