import { type TSchema, Type } from "@sinclair/typebox";
import {
  type ActivityScope,
  type Change,
  changeTimeMs,
  createObject,
  findObject,
  findUsers,
  listObjects,
  type ObjectContents,
  type ObjectKind,
  type ProjectObject,
  updateObject,
} from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { boolean, type Fields, type FieldValues, mapped, nullable, text } from "../http/fields.ts";
import { textParam } from "../http/query.ts";
import { accessLevel, visibleTo } from "../serve/access.ts";
import type { Caller, EnvironmentCall } from "../serve/route.ts";
import { held } from "./held.ts";
import { byId, Resource } from "./resource.ts";
import { apiValues, type Members, shape, userOf, type WithUsers } from "./shape.ts";

const NAME_MAX = 400;
const DESCRIPTION_MAX = 1000;

const TEXT_FIELDS = {
  name: nullable(text({ maxLength: NAME_MAX, blank: true })),
  description: mapped(nullable(text({ maxLength: DESCRIPTION_MAX, blank: true })), (value) => value ?? ""),
  deleted: boolean(),
};

/** What one kind of a project's named objects has of its own. */
interface ObjectKindOf<K extends ObjectKind, F extends Fields, X> {
  kind: K;
  path: string;
  log: ActivityScope;
  /** Members of the body beside name, description and deleted. */
  fields: F;
  forms?: { create: TSchema; change: TSchema };
  /** Names of members that only a create reads. */
  newOnly?: readonly (keyof F & string)[];
  readBody?(call: EnvironmentCall): Promise<JsonObject>;
  /** As of `Description`. */
  prepare?<V extends FieldValues<F>>(call: EnvironmentCall, values: V): Promise<V>;
  /** Of the answer: its name in the document, and the members beside those that all have. */
  shown: { name: string; members: Members<ProjectObject<K>, X> };
  /** What those are read from, beside the objects. */
  shownWith(tx: Tx, objects: readonly ProjectObject<K>[], nowMs: number): Promise<X>;
  /** The content that values ask for; `present` is null for a new object. Throws ApiError 400. */
  contentOf(values: FieldValues<F>, present: ObjectContents[K] | null): ObjectContents[K];
  /** Whether the object can be saved, and what belongs to it. Throws ApiError 400; gives what else has changed. */
  save(tx: Tx, call: EnvironmentCall, object: ProjectObject<K>, values: FieldValues<F>): Promise<Change[]>;
  /** What the activity log compares beside name, description and deleted. */
  logged(object: ProjectObject<K>): JsonObject;
}

/** The whole resource of one kind of named objects: what queries know by a name, in one table for all kinds. */
export function objectResource<K extends ObjectKind, F extends Fields, X>(own: ObjectKindOf<K, F, X>) {
  const { kind, contentOf, save } = own;
  const { schema, show } = shape<ProjectObject<K>, X & WithUsers & { caller: Caller }>(own.shown.name, {
    id: schemas.integer(),
    name: schemas.nullable(schemas.text()),
    description: schemas.text(),
    deleted: Type.Boolean(),
    created_at: schemas.TIME,
    created_by: userOf(({ createdBy }) => createdBy),
    team_id: schemas.integer(),
    user_access_level: [schemas.text(), (object, { caller }) => accessLevel(caller, kind, object)],
    ...own.shown.members,
  });
  const find = byId((tx, teamId, id) => findObject(tx, teamId, kind, id));
  return new Resource<ProjectObject<K>, FieldValues<typeof TEXT_FIELDS> & FieldValues<F>>({
    ...own,
    noun: kind,
    scope: kind,
    controlled: kind,
    fields: { ...TEXT_FIELDS, ...own.fields },
    schema,
    listQuery: { search: textParam("Part of the name.") },
    find,
    hold: held("project_objects", find),
    list(tx, { query, environment, caller }, page) {
      const search = query.get("search") || undefined;
      return listObjects(tx, { teamId: environment.id, kind, visible: visibleTo(caller, kind), search }, page);
    },
    async make(tx, call, values) {
      const { name = null, description = "" } = values;
      const object = await createObject<K>(tx, {
        teamId: call.environment.id,
        kind,
        name,
        description,
        deleted: false,
        content: contentOf(values, null),
        createdBy: call.caller.user.id,
        createdAtMs: call.nowMs,
      });
      await save(tx, call, object, values);
      return object;
    },
    async change(tx, call, before, values) {
      const { name = before.name, description = before.description, deleted = before.deleted } = values;
      const content = contentOf(values, before.content);
      const updatedAtMs = changeTimeMs(before.updatedAtMs, call.nowMs);
      const after = { ...before, name, description, deleted, content, updatedAtMs };
      await updateObject(tx, after);
      return { after, others: await save(tx, call, after, values) };
    },
    nameOf: ({ name }) => name,
    logged: (_tx, object) => ({ ...apiValues(object, Object.keys(TEXT_FIELDS)), ...own.logged(object) }),
    async show(tx, { caller, deps }, objects) {
      const makers = objects.map(({ createdBy }) => createdBy);
      const context = { ...(await own.shownWith(tx, objects, deps.now())), users: await findUsers(tx, makers), caller };
      return objects.map((object) => show(object, context));
    },
  });
}
