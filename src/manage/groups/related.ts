import { Type } from "@sinclair/typebox";
import { listGroupTypes } from "../../metadata/mod.ts";
import { anyObject, nullable, object, oneOf, TIME, text } from "../../openapi/mod.ts";
import {
  findPersons,
  type ListedGroup,
  listGroups,
  type QueryContext,
  relatedGroups,
  relatedPersons,
  type Subject,
} from "../../query/mod.ts";
import { type GroupIndex, parseUuid } from "../../types/mod.ts";
import { choice, readField, required, shownOf } from "../http/fields.ts";
import { JsonText } from "../http/longList.ts";
import { textParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { PERSON } from "../persons/schema.ts";
import type { EnvironmentCall } from "../serve/route.ts";

const INDEX = choice<GroupIndex>([0, 1, 2, 3, 4]);

const RELATED_GROUP = object("RelatedGroup", {
  type: Type.Literal("group"),
  id: text("Its key."),
  group_type_index: oneOf([0, 1, 2, 3, 4]),
  group_key: text(),
  properties: anyObject("Empty for one that only events name."),
  created_at: nullable(TIME),
});
const RELATED_PERSON = object("RelatedPerson", { type: Type.Literal("person"), ...PERSON.schema.properties });

/** `groups/related/`: with whom a person or a group was seen. */
export const relatedRoute = {
  method: "GET",
  path: "groups/related/",
  summary:
    "The groups, and of a group the persons, that share events of the last 90 days with a person or a group; at most 100 of " +
    "each type, the last seen first",
  scope: "group:read",
  query: {
    group_type_index: { description: "The type of the group; absent for a person.", schema: shownOf(INDEX) },
    id: { ...textParam("The uuid of the person, or the key of the group."), isRequired: true },
  },
  responses: { 200: Type.Array(Type.Union([RELATED_PERSON, RELATED_GROUP])), ...TIMEOUT },
  handle: related,
} as const;

async function related(call: EnvironmentCall): Promise<Response> {
  const { deps, environment, query } = call;
  const id = required("id", query.get("id") || undefined);
  const given = query.get("group_type_index") || null;
  const own = given === null ? null : readField("group_type_index", INDEX, given);
  const personId = parseUuid(id);
  // What is no uuid is no person.
  if (own === null && personId === null) return json([]);
  const of: Subject = own === null ? { personId: personId! } : { index: own, key: id };
  const context = await deps.queries.calculator.contextNow(call);
  const types = await deps.db.read((tx) => listGroupTypes(tx, environment.id));
  const found: object[] = own === null ? [] : await personsOf(of, context);
  for (const { index } of types) {
    if (index !== own) found.push(...(await groupsOf(of, index as GroupIndex, context)));
  }
  return json(found);
}

async function personsOf(of: Subject, context: QueryContext): Promise<object[]> {
  const persons = await findPersons(await relatedPersons(of, context), context);
  return persons.map((person) => ({ type: "person", ...PERSON.show(person, context) }));
}

async function groupsOf(of: Subject, index: GroupIndex, context: QueryContext): Promise<object[]> {
  const keys = await relatedGroups(of, index, context);
  if (keys.length === 0) return [];
  const { groups } = await listGroups({ index, keys, search: null, limit: keys.length, offset: 0 }, context);
  const known = new Map(groups.map((group) => [group.key, group]));
  return keys.map((key) => shown(index, key, known.get(key)));
}

const shown = (index: GroupIndex, key: string, group: ListedGroup | undefined) => ({
  type: "group",
  id: key,
  group_type_index: index,
  group_key: key,
  properties: new JsonText(group?.properties ?? "{}"),
  created_at: group?.createdAt ?? null,
});
