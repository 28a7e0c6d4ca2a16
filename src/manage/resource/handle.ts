import { type Change, changesBetween } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { notFound } from "../http/errors.ts";
import { type Fields, readFields, required } from "../http/fields.ts";
import { readOrder } from "../http/order.ts";
import { pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { mayDo, requireEditor } from "../serve/access.ts";
import { activityReply, recordOf } from "../serve/activity.ts";
import type { AccountCall, EnvironmentCall } from "../serve/route.ts";
import type { Entity, Resource, ResourceOf } from "./resource.ts";

interface Wish {
  /** Whether a deleted one will do. */
  deleted?: boolean;
  /** What is said where there is none. */
  detail?: string;
}

/** The record that `:id` names, unless the caller may not see it. Throws ApiError 404. */
export async function findIn<T extends Entity, C extends AccountCall>(
  { find }: Pick<ResourceOf<T, C>, "find">,
  tx: Tx,
  call: C,
  o: Wish = {},
): Promise<T> {
  const record = await find(tx, call);
  if (record === null || (record.deleted && !o.deleted)) throw notFound(o.detail);
  if (record.access !== undefined && !mayDo(call.caller, { access: record.access }, "viewer")) throw notFound(o.detail);
  return record;
}

/** The same in a transaction of its own. */
export function find<T extends Entity, C extends AccountCall>(
  resource: Pick<ResourceOf<T, C>, "find">,
  call: C,
  o: Wish = {},
): Promise<T> {
  return call.deps.db.read((tx) => findIn(resource, tx, call, o));
}

export async function list<T extends Entity, V extends object, C extends AccountCall, S>(
  { list, show, whole, orders }: Resource<T, V, C, S>,
  call: C,
): Promise<Response> {
  const wanted = show === undefined ? whole?.wanted(call) : undefined;
  const page = readPage(call.query);
  const order =
    orders === undefined
      ? { column: "name", descending: false }
      : readOrder(call.query.get("order"), orders.columns, orders.first);
  const { count, items, bodies } = await call.deps.db.read(async (tx) => {
    const { count, items } = await list(tx, call, { ...page, ...order });
    return { count, items, bodies: await show?.(tx, call, items) };
  });
  return json(pageBody(call.url, page, count, bodies ?? (await whole!.show(call, items, wanted as S))));
}

export async function create<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
  call: C,
): Promise<Response> {
  const body = await (resource.readBody?.(call) ?? call.body());
  const values = readFields(newFields(resource), body) as V;
  for (const name of resource.requires ?? []) required(name, values[name]);
  resource.check?.(call, values);
  const wanted = resource.whole?.wanted(call) as S;
  const made = await call.deps.db.write(async (tx) => {
    const made = await resource.make(tx, call, values);
    if (!resource.isDraft?.(made)) await record(tx, resource, call, made, "created");
    return made;
  });
  return reply(resource, call, made, wanted, 201);
}

export async function patch<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
  call: C,
): Promise<Response> {
  const body = await (resource.readBody?.(call) ?? call.body());
  // A deleted record can only be brought back.
  const o = { deleted: body.deleted === false };
  if (resource.table !== undefined) await find(resource, call, o);
  const values = readFields(changeFields(resource), body) as V;
  resource.check?.(call, values);
  const wanted = resource.whole?.wanted(call) as S;
  const changed = await call.deps.db.write((tx) => changeIn(resource, tx, call, values, o));
  return reply(resource, call, changed, wanted);
}

/** Changes the record that `:id` names as it is now: two changes of different fields at the same moment both stay. */
async function changeIn<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
  tx: Tx,
  call: C,
  values: V,
  o: { deleted: boolean },
): Promise<T> {
  return changeRecord(resource, tx, call, await findIn(resource, tx, call, o), values);
}

/** Changes a record, and notes what has changed. Throws ApiError 400 and 403. */
export async function changeRecord<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
  tx: Tx,
  call: C,
  before: T,
  values: V,
): Promise<T> {
  if (before.access !== undefined) requireEditor(call.caller, { access: before.access }, resource.noun);
  const old = await resource.logged(tx, before);
  const { after, others = [] } = await resource.change(tx, call, before, values);
  const now = await resource.logged(tx, after);
  const changes = changesBetween(resource.log, old, now, Object.keys(now));
  await record(tx, resource, call, after, "updated", [...changes, ...others]);
  return after;
}

/** The answer that shows one record. */
export async function reply<T extends Entity, V extends object, C extends AccountCall, S>(
  { whole, show }: Resource<T, V, C, S>,
  call: C,
  record: T,
  wanted: S,
  status = 200,
): Promise<Response> {
  const [body] = await (whole !== undefined
    ? whole.show(call, [record], wanted)
    : call.deps.db.read((tx) => show!(tx, call, [record])));
  return json(body, status);
}

export async function retrieve<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
  call: C,
): Promise<Response> {
  const record = await find(resource, call);
  return reply(resource, call, record, resource.whole?.wanted(call) as S);
}

/** What was done to the record that `:id` names, which may be deleted. */
export async function activity<T extends Entity>(
  resource: ResourceOf<T, EnvironmentCall>,
  call: EnvironmentCall,
): Promise<Response> {
  const { id } = await find(resource, call, { deleted: true });
  return activityReply(call, { teamId: call.environment.id, scope: resource.log, itemId: String(id) });
}

/** Notes what the caller did with a record, in the transaction that does it. */
export function record<T extends Entity, C extends AccountCall>(
  tx: Tx,
  { log, nameOf }: Pick<ResourceOf<T, C>, "log" | "nameOf">,
  call: C,
  record: T,
  activity: string,
  changes: Change[] | null = null,
): Promise<void> {
  const { id, teamId = null, shortId: short_id } = record;
  const detail = { name: nameOf(record), short_id, changes };
  return recordOf(tx, call, { teamId, scope: log, itemId: String(id), activity, detail });
}

/** The members of the body of a new record, and of a change. */
export const newFields = ({ fields, changeOnly = [] }: { fields: Fields; changeOnly?: readonly string[] }): Fields =>
  without(fields, changeOnly);
export const changeFields = ({ fields, newOnly = [] }: { fields: Fields; newOnly?: readonly string[] }): Fields =>
  without(fields, newOnly);

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
