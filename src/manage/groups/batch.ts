import { cleanText } from "../../json/mod.ts";
import { listGroupTypes } from "../../metadata/mod.ts";
import { GROUP_KEY_MAX_CHARACTERS, type GroupImport } from "../../persons/mod.ts";
import type { GroupIndex, JsonObject } from "../../types/mod.ts";
import { object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import { choice, nullable, readFields, required, text } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { manyField, manyMade, readMany, sentObject, toldTime } from "../http/told.ts";
import type { EnvironmentCall } from "../serve/route.ts";

const GROUPS_MAX = 500;
const GROUPS = manyField(GROUPS_MAX);

const FIELDS = {
  group_type_index: choice<GroupIndex>([0, 1, 2, 3, 4]),
  group_key: text({ maxLength: GROUP_KEY_MAX_CHARACTERS, isExact: true }),
  group_properties: object(),
  created_at: nullable(toldTime()),
};

/** `groups/batch/`: groups as they are elsewhere, without an event. */
export const groupBatchRoute = {
  method: "POST",
  path: "groups/batch/",
  summary: `Make up to ${GROUPS_MAX} groups, or set properties of some; answers when queries see them`,
  scope: "group:write",
  unlogged: "groups are data, like events: the log of groups holds what was said of them",
  body: { groups: GROUPS },
  requires: ["groups"],
  responses: { 200: manyMade("Group", "Groups") },
  handle: makeGroups,
} as const;

async function makeGroups(call: EnvironmentCall): Promise<Response> {
  const { deps, environment } = call;
  const types = await deps.db.read((tx) => listGroupTypes(tx, environment.id));
  const names = new Map(types.map(({ index, name }) => [index, name]));
  const read = (body: JsonObject, sent: string) => readGroup(body, sent, names);
  const { told, problems } = await readMany(call, "groups", { field: GROUPS, read });
  if (told.length > 0) await deps.people.import(environment.id, told, call.nowMs);
  return json({ made: told.length, problems });
}

/** A group as it was told. Throws ApiError 400. */
function readGroup(body: JsonObject, sent: string, types: ReadonlyMap<number, string>): GroupImport {
  const fields = readFields(FIELDS, body);
  const type = types.get(required("group_type_index", fields.group_type_index));
  if (type === undefined) throw invalidField("group_type_index", "invalid", "No type of groups has this number.");
  const key = cleanText(required("group_key", fields.group_key));
  return {
    ...{ kind: "group", type, key },
    properties: sentObject(sent, "group_properties"),
    createdAtMs: fields.created_at ?? null,
  };
}
