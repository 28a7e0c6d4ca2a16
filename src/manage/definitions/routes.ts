import type { TSchema } from "@sinclair/typebox";
import {
  type ActivityScope,
  changesBetween,
  changeTimeMs,
  type DefinitionText,
  findUsers,
  newDefinitionText,
} from "../../metadata/mod.ts";
import type { Listed, ListPage, Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { boolean, type Fields, type FieldValues, nullable, readFields, required, text } from "../http/fields.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import type { QueryParameters } from "../http/query.ts";
import { isoTime, json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import { userBody } from "../http/userBody.ts";
import { tagSet, tagsField } from "../insights/fields.ts";
import { recordOf } from "../serve/activity.ts";
import { type EnvironmentCall, environmentRoutes, type Route } from "../serve/route.ts";

/** Longer names are never detected, so none is made by hand either. */
const NAME_MAX = 200;
const DESCRIPTION_MAX = 10_000;

const NAME_FIELDS = { name: text({ maxLength: NAME_MAX }) };
const TEXT_FIELDS = {
  description: nullable(text({ maxLength: DESCRIPTION_MAX, blank: true })),
  tags: tagsField(),
  verified: boolean(),
  hidden: boolean(),
};

interface Definition extends DefinitionText {
  id: string;
  teamId: number;
  name: string;
}
type Draft<D extends Definition> = Omit<D, "id" | "teamId">;

/** What definitions of one kind have of their own. */
export interface DefinitionKind<D extends Definition> {
  noun: "event" | "property";
  path: "event_definitions" | "property_definitions";
  log: Extract<ActivityScope, "EventDefinition" | "PropertyDefinition">;
  /** Members of the body beside what all have: of a new one, and of a change. */
  newFields: Fields;
  fields: Fields;
  /** What shows a definition. */
  shape: TSchema;
  /** What `list` and `find` read of the query string. */
  listQuery: QueryParameters;
  findQuery: QueryParameters;
  /** What `:id` names. */
  find(tx: Tx, call: EnvironmentCall): Promise<D | null>;
  list(tx: Tx, call: EnvironmentCall, page: ListPage): Promise<Listed<D>>;
  /** A new one as its body asks for it. Throws ApiError 400. */
  draft(body: JsonObject, base: DefinitionText & { name: string; createdAtMs: number }): Draft<D>;
  /** Null where there is one already. */
  create(tx: Tx, teamId: number, draft: Draft<D>): Promise<D | null>;
  change(definition: D, body: JsonObject): D;
  update(tx: Tx, definition: D): Promise<void>;
  /** The members of the answer beside those that all have. */
  show(definition: D): JsonObject;
  /** What the activity log compares beside those. */
  logged(definition: D): JsonObject;
}

/** List, create, retrieve and PATCH. */
export function definitionRoutes<D extends Definition>(kind: DefinitionKind<D>): Route[] {
  const { noun, path, shape } = kind;
  const scope = `${noun}_definition` as const;
  return environmentRoutes([
    {
      method: "GET",
      path: `${path}/`,
      summary: `List what is known of each ${noun}`,
      scope: `${scope}:read`,
      query: { ...PAGE_QUERY, ...kind.listQuery },
      responses: { 200: pageOf(shape) },
      handle: (call) => list(kind, call),
    },
    {
      method: "POST",
      path: `${path}/`,
      summary: `Define the ${noun} of a name before it arrives`,
      scope: `${scope}:write`,
      body: { ...NAME_FIELDS, ...kind.newFields, ...TEXT_FIELDS },
      requires: ["name"],
      responses: { 201: shape },
      handle: (call) => create(kind, call),
    },
    {
      method: "GET",
      path: `${path}/:id/`,
      summary: "Retrieve a definition, by its id or name",
      scope: `${scope}:read`,
      query: kind.findQuery,
      responses: { 200: shape },
      handle: async (call) => reply(kind, call, await call.deps.db.read((tx) => find(kind, tx, call))),
    },
    {
      method: "PATCH",
      path: `${path}/:id/`,
      summary: "Change a definition, by its id or name",
      scope: `${scope}:write`,
      query: kind.findQuery,
      body: { ...kind.fields, ...TEXT_FIELDS },
      responses: { 200: shape },
      handle: (call) => patch(kind, call),
    },
  ]);
}

async function find<D extends Definition>(kind: DefinitionKind<D>, tx: Tx, call: EnvironmentCall): Promise<D> {
  const found = await kind.find(tx, call);
  if (found === null) throw notFound();
  return found;
}

async function list<D extends Definition>(kind: DefinitionKind<D>, call: EnvironmentCall): Promise<Response> {
  const page = readPage(call.query);
  const { count, bodies } = await call.deps.db.read(async (tx) => {
    const found = await kind.list(tx, call, { ...page, column: "name", descending: false });
    return { count: found.count, bodies: await bodiesOf(kind, tx, found.items) };
  });
  return json(pageBody(call.url, page, count, bodies));
}

async function create<D extends Definition>(kind: DefinitionKind<D>, call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  const name = required("name", readFields(NAME_FIELDS, body).name);
  const { environment, nowMs } = call;
  const base = { ...newDefinitionText(nowMs), name, createdAtMs: nowMs };
  const draft = withText(kind.draft(body, base), readFields(TEXT_FIELDS, body), call);
  const made = await call.deps.db.write(async (tx) => {
    const made = await kind.create(tx, environment.id, draft);
    if (made !== null) await record(kind, tx, call, made, null);
    return made;
  });
  if (made === null) throw invalidField("name", "unique", `The ${kind.noun} "${name}" is defined already.`);
  return reply(kind, call, made, 201);
}

async function patch<D extends Definition>(kind: DefinitionKind<D>, call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  const values = readFields(TEXT_FIELDS, body);
  const changed = await call.deps.db.write(async (tx) => {
    const before = await find(kind, tx, call);
    const after = withText(kind.change(before, body), values, call);
    await kind.update(tx, after);
    await record(kind, tx, call, after, before);
    return after;
  });
  return reply(kind, call, changed);
}

function withText<T extends DefinitionText>(
  definition: T,
  { description, tags, verified, hidden }: FieldValues<typeof TEXT_FIELDS>,
  { caller, nowMs }: EnvironmentCall,
): T {
  return {
    ...definition,
    description: description === undefined ? definition.description : (description ?? ""),
    tags: tags === undefined ? definition.tags : tagSet(tags),
    verified: verified ?? definition.verified,
    hidden: hidden ?? definition.hidden,
    updatedBy: caller.user.id,
    updatedAtMs: changeTimeMs(definition.updatedAtMs, nowMs),
  };
}

async function reply<D extends Definition>(
  kind: DefinitionKind<D>,
  call: EnvironmentCall,
  definition: D,
  status = 200,
): Promise<Response> {
  const [body] = await call.deps.db.read((tx) => bodiesOf(kind, tx, [definition]));
  return json(body, status);
}

async function bodiesOf<D extends Definition>(kind: DefinitionKind<D>, tx: Tx, definitions: readonly D[]) {
  const authors = definitions.map(({ updatedBy }) => updatedBy);
  const users = await findUsers(tx, authors);
  return definitions.map((definition) => ({
    id: definition.id,
    name: definition.name,
    ...textOf(definition),
    updated_at: isoTime(definition.updatedAtMs),
    updated_by: userBody(users, definition.updatedBy),
    ...kind.show(definition),
  }));
}

const textOf = ({ description, tags, verified, hidden }: DefinitionText) => ({ description, tags, verified, hidden });

function record<D extends Definition>(
  kind: DefinitionKind<D>,
  tx: Tx,
  call: EnvironmentCall,
  after: D,
  before: D | null,
): Promise<void> {
  const logged = (definition: D): JsonObject => ({ ...textOf(definition), ...kind.logged(definition) });
  const now = logged(after);
  const changes = before === null ? null : changesBetween(kind.log, logged(before), now, Object.keys(now));
  const item = { teamId: after.teamId, scope: kind.log, itemId: after.id };
  const activity = before === null ? "created" : "updated";
  return recordOf(tx, call, { ...item, activity, detail: { name: after.name, changes } });
}
