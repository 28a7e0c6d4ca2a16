import type { GroupIndex } from "../../../types/mod.ts";
import { constant, field } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import type { QueryContext } from "../../source/context.ts";
import { displayName } from "../../source/people.ts";
import type { Actor } from "./records.ts";

/** One column of the answer. */
export interface Column {
  /** As it was asked for. */
  name: string;
  item: Expression;
  /** The cell, where it is more than the value: of an actor's id. */
  cell?(id: string, actor: Actor | undefined, context: QueryContext): unknown;
}

const shown = (id: string, actor: Actor | undefined): unknown => actor ?? { id };

/** The columns that are more than an expression. `id`: the actor's. */
export function specialColumn(name: string, id: Expression, group: GroupIndex | null): Omit<Column, "name"> | null {
  if (name === "actor" || name === (group === null ? "person" : "group")) return { item: id, cell: shown };
  if (name === "id" || name === "actor_id") return { item: id };
  if (name === "person_display_name" && group === null) {
    return {
      item: id,
      cell: (one, actor, context) => {
        const called = actor === undefined ? null : displayName(actor, context);
        return { display_name: called ?? actor?.distinct_ids?.[0] ?? one, id: one };
      },
    };
  }
  // A button of PostHog's table.
  if (name === "person.$delete") return { item: constant(1) };
  // Recordings are not stored.
  if (name === "matched_recordings") return { item: constant(null), cell: () => [] };
  return null;
}

/** What an order by a special column means. */
export function specialOrder(name: string, group: GroupIndex | null, context: QueryContext): Expression | null {
  if (name === "id") return field("source", "actor_id");
  if (name !== "actor" && name !== (group === null ? "person" : "group")) return null;
  const property = group === null ? (context.personDisplayNameProperties?.[0] ?? "email") : "name";
  return field(group === null ? "persons" : "groups", "properties", property);
}
