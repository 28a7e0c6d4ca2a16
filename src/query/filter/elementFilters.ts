import type { Json } from "../../types/mod.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import { anyOf, type Sql, sql, TRUE } from "../sql/sql.ts";
import { elementsHref, elementsTexts } from "./elements.ts";
import { type OperatorScope, operatorCondition } from "./operators.ts";
import { selectorCondition, tagNameCondition } from "./selectors.ts";

/**
 * What a filter of type `element` says about what was clicked (docs/queries.md#property-filters). Errors: TerminalError
 * `invalid_query`.
 */
export function elementCondition(key: string, operator: Json, value: Json, chain: Sql, scope: OperatorScope): Sql {
  switch (key) {
    case "href":
      return operatorCondition(sql`nullif(${elementsHref(chain)}, '')`, operator, value, scope);
    case "text": {
      const met = operatorCondition(sql`x`, operator, value, scope);
      return met === TRUE ? TRUE : sql`len(list_filter(${elementsTexts(chain)}, lambda x: ${met})) > 0`;
    }
    case "selector":
      return matched(operator, value, (one) => selectorCondition(chain, one, `${scope.place}.value`), scope);
    case "tag_name":
      return matched(operator, value, (one) => tagNameCondition(chain, one), scope);
    default:
      throw invalidQuery(
        `${scope.place}.key`,
        `elements have no ${shown(key)}: it must be selector, tag_name, href or text`,
      );
  }
}

/** Selectors and tags can be there or not. */
function matched(operator: Json, value: Json, one: (value: string) => Sql, { place }: OperatorScope): Sql {
  if (operator !== "exact" && operator !== "is_not")
    throw notSupported(`${place}.operator`, `the operator ${shown(operator)} of elements`);
  const values = (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== "");
  if (values.length === 0) return TRUE;
  const some = anyOf(values.map((item) => one(String(item))));
  return operator === "is_not" ? sql`(${some} IS NOT TRUE)` : some;
}
