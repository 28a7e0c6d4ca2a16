import { type Sql, sql, text } from "../../sql/sql.ts";

// What an `elements_chain` says (`src/capture/event/elements.ts` tells how it is written): elements from the clicked one up,
// `button.big:attr__id="a"text="Buy";div:…`; a quote inside a value has a backslash before it.

const VALUE = '"((?:[^"\\\\]|\\\\(?s:.))*)"';

/** All values of an attribute in the chain. */
function valuesOf(chain: Sql, attribute: "text" | "href" | "attr_id"): Sql {
  const found = sql`regexp_extract_all(${chain}, ${text(`[:"]${attribute}=${VALUE}`)}, 1)`;
  return sql`list_transform(${found}, lambda x: replace(x, '\\"', '"'))`;
}

/** The elements of a list without repetitions, in their order. */
const distinct = (list: Sql): Sql => sql`list_filter(${list}, lambda x, i: list_position(${list}, x) = i)`;

/** The first link in the chain, "" where there is none. */
export function elementsHref(chain: Sql): Sql {
  return sql`coalesce(${valuesOf(chain, "href")}[1], '')`;
}

/** Texts of the elements: VARCHAR[] without repetitions. */
export function elementsTexts(chain: Sql): Sql {
  return distinct(valuesOf(chain, "text"));
}

/** The `id` attributes of the elements: VARCHAR[]. */
export function elementsIds(chain: Sql): Sql {
  return distinct(valuesOf(chain, "attr_id"));
}

/** Which elements that people use are in the chain: VARCHAR[] of a, button, form, input, select, textarea, label. */
export function elementsTags(chain: Sql): Sql {
  const pattern = text("(?:^|;)(a|button|form|input|select|textarea|label)(?:[.:]|$)");
  return distinct(sql`regexp_extract_all(${chain}, ${pattern}, 1)`);
}
