import type { GroupIndex } from "../../types/mod.ts";
import { call, compare, constant, field, orderBy } from "../hogql/syntax/build.ts";
import type { QueryContext } from "../source/context.ts";
import { listingTree, runListing } from "./listing.ts";
import { holding } from "./persons.ts";

const MAX_VALUES = 20;

/** Which values of a property of persons or groups are wanted. */
export interface OwnerValuesQuery {
  key: string;
  /** In any case; null for all values. */
  part: string | null;
}

export interface CountedValue {
  /** As text; lists and objects as JSON. */
  value: string;
  /** How many persons, or groups, have it now. */
  count: number;
}

/** The values that most persons have, at most 20. Errors: those of `Lake.query`. */
export const personValues = (query: OwnerValuesQuery, context: QueryContext): Promise<CountedValue[]> =>
  valuesIn("persons", null, query, context);

/** The same of the groups of one type. */
export const groupValues = (
  { index, ...query }: OwnerValuesQuery & { index: GroupIndex },
  context: QueryContext,
): Promise<CountedValue[]> => valuesIn("groups", index, query, context);

async function valuesIn(
  table: "persons" | "groups",
  index: GroupIndex | null,
  { key, part }: OwnerValuesQuery,
  context: QueryContext,
): Promise<CountedValue[]> {
  const value = call("toString", field("properties", key));
  const count = call("count");
  const where = [
    call("isNotNull", field("properties", key)),
    ...(index === null ? [] : [compare(field("index"), "==", constant(index))]),
    ...(part === null ? [] : [holding(part)(value)]),
  ];
  const orders = [orderBy(count, "DESC"), orderBy(value)];
  const page = { limit: MAX_VALUES, offset: 0 };
  const tree = listingTree({ table, select: [value, count], where, isGrouped: true, orders, ...page });
  const { results } = await runListing(tree, context);
  return results.map(([value, count]) => ({ value: String(value), count: Number(count) }));
}
