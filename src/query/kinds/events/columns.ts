import type { JsonObject } from "../../../types/mod.ts";
import { field } from "../../hogql/syntax/build.ts";
import { parseExpression } from "../../hogql/syntax/fragments.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import type { QueryContext } from "../../source/context.ts";
import { displayName, type Person } from "../../source/people.ts";
import { elementsOf } from "./elements.ts";

/** One column of the answer, made of some of the statement's. */
export interface Column {
  /** What the statement selects for it. */
  items: Expression[];
  /** The cell, of the values of those. */
  cell(values: readonly unknown[], persons: ReadonlyMap<string, Person>, context: QueryContext): unknown;
  /** Whether the cell looks at the person; the first value is its id then. */
  readsPerson: boolean;
}

const STAR = [
  "uuid",
  "event",
  "properties",
  "timestamp",
  "distinct_id",
  "elements_chain",
  "created_at",
  "person_mode",
] as const;

/** A whole event as an object. */
const star: Column = {
  items: STAR.map((name) => field(name)),
  readsPerson: false,
  cell(values, _persons, { teamId }) {
    const event = Object.fromEntries(STAR.map((name, i) => [name, values[i]]));
    return {
      ...event,
      properties: objectOf(event.properties),
      team_id: teamId,
      elements: elementsOf(String(event.elements_chain)),
    };
  },
};

const PERSON_ITEMS = [field("person_id"), field("distinct_id")];

const person: Column = {
  items: PERSON_ITEMS,
  readsPerson: true,
  cell([id, distinctId], persons) {
    const known = persons.get(String(id));
    if (known === undefined) return { distinct_id: distinctId };
    const { createdAt, isIdentified, properties } = known;
    return { uuid: id, created_at: createdAt, is_identified: isIdentified, properties, distinct_id: distinctId };
  },
};

const personDisplayName: Column = {
  items: PERSON_ITEMS,
  readsPerson: true,
  cell([id, distinctId], persons, context) {
    const known = persons.get(String(id));
    const name = known === undefined ? null : displayName(known, context);
    return { display_name: name ?? distinctId, id, distinct_id: distinctId };
  },
};

const SPECIAL: Record<string, Column> = { "*": star, person, person_display_name: personDisplayName };

/** The columns that clients ask for: `*`, `person`, `person_display_name`, or HogQL; behind ` -- ` stands a comment. */
export function readColumns(select: readonly string[], context: QueryContext): Promise<Column[]> {
  return inTurn(select, (text) => readColumn(withoutComment(text), context));
}

/** A column without what is said about it. */
export const withoutComment = (text: string): string => text.replace(/\s+--\s.*$/s, "").trim();

export const isSpecial = (name: string): boolean => Object.hasOwn(SPECIAL, name);

/** One after the other, as they are parsed: so a list of any length is one that waits. */
export async function inTurn<T, U>(list: readonly T[], one: (item: T) => Promise<U>): Promise<U[]> {
  const made: U[] = [];
  for (const item of list) made.push(await one(item));
  return made;
}

async function readColumn(text: string, context: QueryContext): Promise<Column> {
  if (isSpecial(text)) return SPECIAL[text]!;
  const item = await parseExpression(text, context);
  return { items: [item], readsPerson: false, cell: ([value]) => value };
}

function objectOf(json: unknown): JsonObject {
  return typeof json === "string" ? JSON.parse(json) : {};
}
