import type { QueryContext } from "../source/context.ts";
import { EventsTable } from "../source/events.ts";
import type { ActionRecord, ActionStep } from "../source/records.ts";
import { allOf, anyOf, type Sql, sql, TRUE, text } from "../sql/sql.ts";
import { elementsHref, elementsTexts } from "./elements.ts";
import { filterCondition } from "./filters.ts";
import { selectorCondition, tagNameCondition } from "./selectors.ts";

/** The event whose clicked elements steps look at. */
const AUTOCAPTURE = "$autocapture";

type Matching = ActionStep["urlMatching"];

/**
 * Whether an event matches an action: any of its steps; all events match one without steps. For WHERE and FILTER: NULL
 * means no. `place` names the action in errors: TerminalError `invalid_query` for a filter or selector that cannot be
 * compiled.
 */
export function matchesAction(
  action: ActionRecord,
  events: EventsTable,
  context: QueryContext,
  place = `action ${action.id}`,
): Sql {
  if (action.steps.length === 0) return TRUE;
  return anyOf(action.steps.map((step, i) => matchesStep(step, events, context, `${place}.steps.${i}`)));
}

/** Throws TerminalError `invalid_query` for an action that no query could use. */
export function checkAction(action: ActionRecord, context: QueryContext): void {
  matchesAction(action, new EventsTable("e"), context);
}

function matchesStep(step: ActionStep, events: EventsTable, context: QueryContext, place: string): Sql {
  const conditions: Sql[] = [];
  if (step.event !== null) conditions.push(sql`${events.column("event")} = ${text(step.event)}`);
  if (step.event === AUTOCAPTURE) conditions.push(...elementConditions(step, events, place));
  if (step.url !== null && step.url !== "") {
    const url = events.property("$current_url");
    // The host and the path: upper and lower case are not the same.
    conditions.push(matchesText(url, step.url, step.urlMatching ?? "contains", "LIKE"));
  }
  const filters = filterCondition(step.properties, events, context, `${place}.properties`);
  if (filters !== TRUE) conditions.push(filters);
  return allOf(conditions);
}

function elementConditions(step: ActionStep, events: EventsTable, place: string): Sql[] {
  const chain = events.column("elements_chain");
  const conditions: Sql[] = [];
  if (step.selector !== null && step.selector !== "") {
    conditions.push(selectorCondition(chain, step.selector, `${place}.selector`));
  }
  if (step.tagName !== null && step.tagName !== "") conditions.push(tagNameCondition(chain, step.tagName));
  if (step.href !== null) conditions.push(matchesText(elementsHref(chain), step.href, step.hrefMatching, "ILIKE"));
  if (step.text !== null) {
    const matches = matchesText(sql`x`, step.text, step.textMatching, "ILIKE");
    conditions.push(sql`len(list_filter(${elementsTexts(chain)}, lambda x: ${matches})) > 0`);
  }
  return conditions;
}

/** `exact` where nothing else is asked for; % and _ of the user stay wildcards, as in PostHog. */
function matchesText(value: Sql, wanted: string, matching: Matching, like: "LIKE" | "ILIKE"): Sql {
  if (matching === "regex") return sql`regexp_matches(${value}, ${text(wanted)})`;
  if (matching !== "contains") return sql`${value} = ${text(wanted)}`;
  const pattern = text(`%${wanted}%`);
  return like === "LIKE" ? sql`${value} LIKE ${pattern}` : sql`${value} ILIKE ${pattern}`;
}
