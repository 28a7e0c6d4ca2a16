import type { TSchema } from "@sinclair/typebox";
import {
  type ActivityScope,
  type Change,
  changesBetween,
  changeTimeMs,
  createObject,
  findObject,
  findUsers,
  listObjects,
  type ObjectContents,
  type ObjectKind,
  type ProjectObject,
  type User,
  updateObject,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { notFound } from "../http/errors.ts";
import { boolean, type Fields, nullable, readFields, text } from "../http/fields.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { textParam } from "../http/query.ts";
import { isoTime, json } from "../http/reply.ts";
import { ACTIVITY_PAGE, pageOf } from "../http/shapes.ts";
import { userBody } from "../http/userBody.ts";
import { accessLevel, mayDo, requireEditor, seesAll } from "../serve/access.ts";
import { ACTIVITY_QUERY, activityReply, recordOf } from "../serve/activity.ts";
import { readId } from "../serve/guard.ts";
import { type Caller, type EnvironmentCall, environmentRoutes, type Route } from "../serve/route.ts";
import { objectAccessRoutes } from "./accessRoutes.ts";

const NAME_MAX = 400;
const DESCRIPTION_MAX = 1000;

const TEXT_FIELDS = {
  name: nullable(text({ maxLength: NAME_MAX, blank: true })),
  description: nullable(text({ maxLength: DESCRIPTION_MAX, blank: true })),
  deleted: boolean(),
};

/** What one kind of a project's named objects has of its own. */
export interface Resource<K extends ObjectKind> {
  kind: K;
  path: "actions" | "cohorts";
  log: Extract<ActivityScope, "Action" | "Cohort">;
  /** Members of the body beside name, description and deleted. */
  fields: Fields;
  /** The bodies where they come as forms. */
  forms?: { create: TSchema; change: TSchema };
  /** What shows an object. */
  shape: TSchema;
  /** Throws ApiError. */
  readBody(call: EnvironmentCall): Promise<JsonObject>;
  /** The content that a body asks for; `present` is null for a new object. Throws ApiError 400. */
  contentOf(body: JsonObject, present: ObjectContents[K] | null): ObjectContents[K];
  /** Whether the object can be saved, and what belongs to it. Throws ApiError 400; gives what else has changed. */
  save(tx: Tx, call: EnvironmentCall, object: ProjectObject<K>, body: JsonObject): Promise<Change[]>;
  /** The members of the answer beside those that all have. */
  show(tx: Tx, objects: readonly ProjectObject<K>[]): Promise<JsonObject[]>;
  /** What the activity log compares. */
  logged(object: ProjectObject<K>): JsonObject;
}

/** List, create, retrieve, PATCH (`deleted` hides an object, and brings it back) and activity. */
export function resourceRoutes<K extends ObjectKind>(resource: Resource<K>): Route[] {
  const { kind, path, log, fields, shape } = resource;
  const body = { ...TEXT_FIELDS, ...fields };
  return environmentRoutes([
    {
      method: "GET",
      path: `${path}/`,
      summary: `List the ${path}`,
      scope: `${kind}:read`,
      query: { ...PAGE_QUERY, search: textParam("Part of the name.") },
      responses: { 200: pageOf(shape) },
      handle: (c) => list(resource, c),
    },
    {
      method: "POST",
      path: `${path}/`,
      summary: `Create a ${kind}`,
      scope: `${kind}:write`,
      body,
      form: resource.forms?.create,
      responses: { 201: shape },
      handle: (call) => create(resource, call),
    },
    {
      method: "GET",
      path: `${path}/:id/`,
      summary: `Retrieve a ${kind}`,
      scope: `${kind}:read`,
      responses: { 200: shape },
      handle: async (call) => reply(resource, call, await find(resource, call)),
    },
    {
      method: "PATCH",
      path: `${path}/:id/`,
      summary: `Change a ${kind}; \`deleted\` hides it, and brings it back`,
      scope: `${kind}:write`,
      body,
      form: resource.forms?.change,
      responses: { 200: shape },
      handle: (call) => patch(resource, call),
    },
    {
      method: "GET",
      path: `${path}/:id/activity/`,
      summary: `What was done to a ${kind}, newest first`,
      scope: "activity_log:read",
      query: ACTIVITY_QUERY,
      responses: { 200: ACTIVITY_PAGE },
      async handle(call) {
        const { id, teamId } = await find(resource, call, { deleted: true });
        return activityReply(call, { teamId, scope: log, itemId: String(id) });
      },
    },
    ...objectAccessRoutes(`${path}/:id/`, {
      resource: kind,
      log,
      table: "project_objects",
      find: (call) => find(resource, call),
    }),
  ]);
}

/** The object that `:id` names; throws ApiError 404. */
export async function find<K extends ObjectKind>(
  { kind }: Pick<Resource<K>, "kind">,
  call: EnvironmentCall,
  o = { deleted: false },
): Promise<ProjectObject<K>> {
  const id = readId(call.params.id);
  const object = id === null ? null : await call.deps.db.read((tx) => findObject(tx, call.environment.id, kind, id));
  if (object === null || (object.deleted && !o.deleted) || !mayDo(call.caller, object, "viewer")) throw notFound();
  return object;
}

/** The answer that shows one object. */
export async function reply<K extends ObjectKind>(
  resource: Resource<K>,
  call: EnvironmentCall,
  object: ProjectObject<K>,
  status = 200,
): Promise<Response> {
  const [body] = await call.deps.db.read((tx) => bodiesOf(tx, resource, [object], call.caller));
  return json(body, status);
}

async function bodiesOf<K extends ObjectKind>(
  tx: Tx,
  resource: Resource<K>,
  objects: readonly ProjectObject<K>[],
  caller: Caller,
) {
  const makers = objects.map(({ createdBy }) => createdBy);
  const users = await findUsers(tx, makers);
  const shown = await resource.show(tx, objects);
  return objects.map((object, i) => ({ ...commonBody(object, users, caller), ...shown[i] }));
}

function commonBody(object: ProjectObject<ObjectKind>, users: ReadonlyMap<number, User>, caller: Caller) {
  return {
    id: object.id,
    name: object.name,
    description: object.description,
    deleted: object.deleted,
    created_at: isoTime(object.createdAtMs),
    created_by: userBody(users, object.createdBy),
    team_id: object.teamId,
    user_access_level: accessLevel(caller, object),
  };
}

async function list<K extends ObjectKind>(resource: Resource<K>, call: EnvironmentCall): Promise<Response> {
  const page = readPage(call.query);
  const search = call.query.get("search");
  const { id: teamId } = call.environment;
  const filter = { teamId, kind: resource.kind, openOnly: !seesAll(call.caller), ...(search ? { search } : {}) };
  const { count, bodies } = await call.deps.db.read(async (tx) => {
    const found = await listObjects(tx, filter, { ...page, column: "name", descending: false });
    return { count: found.count, bodies: await bodiesOf(tx, resource, found.items, call.caller) };
  });
  return json(pageBody(call.url, page, count, bodies));
}

async function create<K extends ObjectKind>(resource: Resource<K>, call: EnvironmentCall): Promise<Response> {
  const body = await resource.readBody(call);
  const { name = null, description } = readFields(TEXT_FIELDS, body);
  const content = resource.contentOf(body, null);
  const made = await call.deps.db.write(async (tx) => {
    const object = await createObject<K>(tx, {
      teamId: call.environment.id,
      kind: resource.kind,
      name,
      description: description ?? "",
      deleted: false,
      content,
      createdBy: call.caller.user.id,
      createdAtMs: call.nowMs,
    });
    await resource.save(tx, call, object, body);
    await record(tx, resource, call, object, "created");
    return object;
  });
  return reply(resource, call, made, 201);
}

async function patch<K extends ObjectKind>(resource: Resource<K>, call: EnvironmentCall): Promise<Response> {
  const body = await resource.readBody(call);
  const { id } = await find(resource, call, { deleted: body.deleted === false });
  const values = readFields(TEXT_FIELDS, body);
  const changed = await call.deps.db.write(async (tx) => {
    const before = (await findObject(tx, call.environment.id, resource.kind, id))!;
    requireEditor(call.caller, before, resource.kind);
    const after: ProjectObject<K> = {
      ...before,
      name: values.name === undefined ? before.name : values.name,
      description: values.description === undefined ? before.description : (values.description ?? ""),
      deleted: values.deleted ?? before.deleted,
      content: resource.contentOf(body, before.content),
      updatedAtMs: changeTimeMs(before.updatedAtMs, call.nowMs),
    };
    await updateObject(tx, after);
    const others = await resource.save(tx, call, after, body);
    const [old, now] = [loggedOf(resource, before), loggedOf(resource, after)];
    const changes = changesBetween(resource.log, old, now, Object.keys(now));
    await record(tx, resource, call, after, "updated", [...changes, ...others]);
    return after;
  });
  return reply(resource, call, changed);
}

function loggedOf<K extends ObjectKind>(resource: Resource<K>, object: ProjectObject<K>): JsonObject {
  const { name, description, deleted } = object;
  return { name, description, deleted, ...resource.logged(object) };
}

/** Notes what was done with an object. */
export function record<K extends ObjectKind>(
  tx: Tx,
  { log }: Pick<Resource<K>, "log">,
  call: EnvironmentCall,
  object: ProjectObject<K>,
  activity: string,
  changes: Change[] | null = null,
): Promise<void> {
  const item = { teamId: object.teamId, scope: log, itemId: String(object.id) };
  return recordOf(tx, call, { ...item, activity, detail: { name: object.name, changes } });
}
