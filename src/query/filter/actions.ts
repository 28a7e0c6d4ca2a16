import { compare, constant, field } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";
import type { ActionRecord, ActionStep } from "../source/records.ts";
import { filtersOf } from "./filters.ts";
import { allOf, anyOf, type Condition } from "./filterTree.ts";
import { anyElement, containing } from "./operators.ts";
import { selectorCondition, tagNameCondition } from "./selectors.ts";
import { subjectOf } from "./subjects.ts";

/** The event whose clicked elements steps look at. */
const AUTOCAPTURE = "$autocapture";

/**
 * Whether an event matches an action: any of its steps; null for one without steps, which all events match.
 * Errors: TerminalError `invalid_query` that names the action, for a filter or selector that cannot be read.
 */
export function actionCondition({ id, steps }: ActionRecord, context: QueryContext): Condition {
  return anyOf(steps.map((step, i) => stepCondition(step, context, `action ${id}.steps.${i}`)));
}

function stepCondition(step: ActionStep, context: QueryContext, place: string): Condition {
  const conditions: Condition[] = [];
  if (step.event !== null) conditions.push(compare(field("event"), "==", constant(step.event)));
  if (step.event === AUTOCAPTURE) conditions.push(...elementConditions(step, place));
  if (step.url !== null && step.url !== "") {
    const url = subjectOf({ type: "event", key: "$current_url", groupTypeIndex: null }, context, place).text;
    // The host and the path: upper and lower case are not the same.
    conditions.push(matchesText(url, step.url, step.urlMatching ?? "contains", "like"));
  }
  return allOf([...conditions, ...filtersOf(step.properties, context, `${place}.properties`)]);
}

function elementConditions(step: ActionStep, place: string): Condition[] {
  const { selector, tagName, href, text } = step;
  const conditions: Condition[] = [];
  if (selector !== null && selector !== "") conditions.push(selectorCondition(selector, `${place}.selector`));
  if (tagName !== null && tagName !== "") conditions.push(tagNameCondition(tagName));
  if (href !== null) conditions.push(matchesText(field("elements_chain_href"), href, step.hrefMatching, "ilike"));
  if (text !== null) {
    const matches = (x: Expression) => matchesText(x, text, step.textMatching, "ilike");
    conditions.push(anyElement(field("elements_chain_texts"), matches));
  }
  return conditions;
}

/** `exact` where nothing else is asked for. */
function matchesText(
  value: Expression,
  wanted: string,
  matching: ActionStep["urlMatching"],
  like: "like" | "ilike",
): Expression {
  if (matching === "regex") return compare(value, "=~", constant(wanted));
  return matching === "contains" ? compare(value, like, containing(wanted)) : compare(value, "==", constant(wanted));
}
