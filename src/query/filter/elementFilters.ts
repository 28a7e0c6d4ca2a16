import type { Json } from "../../types/mod.ts";
import { call, constant, field, not } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import { anyOf, type Condition } from "./filterTree.ts";
import { anyElement, type OperatorScope, operatorCondition } from "./operators.ts";
import { selectorCondition, tagNameCondition } from "./selectors.ts";
import { textSubject } from "./subjects.ts";

/** A filter of type `element`, on what was clicked (docs/queries.md#property-filters). Errors: TerminalError `invalid_query`. */
export function elementCondition(key: string, operator: Json, value: Json, scope: OperatorScope): Condition {
  const { place } = scope;
  switch (key) {
    case "href": {
      const href = call("nullIf", field("elements_chain_href"), constant(""));
      return operatorCondition(textSubject(href), operator, value, scope);
    }
    case "text":
      return anyElement(field("elements_chain_texts"), (x) =>
        operatorCondition(textSubject(x), operator, value, scope),
      );
    case "selector":
      return matched(operator, value, (one) => selectorCondition(one, `${place}.value`), scope);
    case "tag_name":
      return matched(operator, value, tagNameCondition, scope);
    default:
      throw invalidQuery(`${place}.key`, `elements have no ${shown(key)}: it must be selector, tag_name, href or text`);
  }
}

/** Selectors and tags can be there or not. */
function matched(operator: Json, value: Json, one: (value: string) => Expression, { place }: OperatorScope): Condition {
  if (operator !== "exact" && operator !== "is_not")
    throw notSupported(`${place}.operator`, `the operator ${shown(operator)} of elements`);
  const values = (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== "");
  const some = anyOf(values.map((item) => one(String(item))));
  return operator === "is_not" && some !== null ? not(some) : some;
}
