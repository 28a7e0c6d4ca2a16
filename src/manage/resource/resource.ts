import { type Change, changesBetween } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { notFound } from "../http/errors.ts";
import { type Fields, readFields, required } from "../http/fields.ts";
import { readOrder } from "../http/order.ts";
import { pageBody, readPage } from "../http/page.ts";
import { empty, json } from "../http/reply.ts";
import { type Controlled, mayDo, requireEditor, requireMaker } from "../serve/access.ts";
import { recordOf } from "../serve/activity.ts";
import { readId, renewed } from "../serve/guard.ts";
import type { AccountCall, EnvironmentCall } from "../serve/route.ts";
import type { Description, Entity } from "./description.ts";

interface Wish {
  /** Whether a deleted one will do. */
  deleted?: boolean;
  /** What is said where there is none. */
  detail?: string;
}

/** Answers requests about one kind of record. `V`: the values that a client sets; `S`: what a request wants shown. */
export class Resource<T extends Entity, V extends object, C extends AccountCall = EnvironmentCall, S = null> {
  constructor(readonly description: Description<T, V, C, S>) {}

  /** The record that the path names, unless the caller may not see it. Throws ApiError 404. */
  async findIn(tx: Tx, call: C, o: Wish = {}): Promise<T> {
    return this.seen(call, await this.description.find!(tx, call), o);
  }

  /** The same, to be changed in this transaction. Throws ApiError 403, too. */
  async findToChange(tx: Tx, call: C, o: Wish = {}): Promise<T> {
    const { find, hold = find } = this.description;
    return this.seen(call, await hold!(tx, call), o);
  }

  private seen(call: C, record: T | null, { deleted, detail = this.description.missing }: Wish): T {
    const isThere = record !== null && (!record.deleted || deleted);
    if (!isThere) throw notFound(detail);
    const { controlled } = this.description;
    if (controlled !== undefined && !mayDo(call.caller, controlled, asControlled(record), "viewer"))
      throw notFound(detail);
    return record;
  }

  /** The same in a transaction of its own. */
  find(call: C, o: Wish = {}): Promise<T> {
    return call.deps.db.read((tx) => this.findIn(tx, call, o));
  }

  async list(call: C): Promise<Response> {
    const { list, show, whole, orders = {}, order = "name", orderName = "order" } = this.description;
    const wanted = show === undefined ? whole?.wanted?.(call) : undefined;
    const page = readPage(call.query);
    const asked = this.description.orders === undefined ? null : call.query.get(orderName);
    const { count, items, bodies } = await call.deps.db.read(async (tx) => {
      const { count, items } = await list!(tx, call, { ...page, ...readOrder(asked, orders, order) });
      return { count, items, bodies: await show?.(tx, call, items) };
    });
    return json(pageBody(call.url, page, count, bodies ?? (await whole!.show(call, items, wanted as S))));
  }

  async create(call: C): Promise<Response> {
    const { requires = [], controlled, isDraft, make, prepare } = this.description;
    const given = this.read(call, newFields(this.description), await this.bodyOf(call));
    for (const name of requires) required(name, given[name]);
    const wanted = this.wanted(call);
    const values = prepare === undefined ? given : await prepare(call, given);
    const { own, made } = await call.deps.db.write(async (tx) => {
      const own = await renewed(tx, call);
      if (controlled !== undefined) requireMaker(own.caller, controlled);
      const made = await make!(tx, own, values);
      if (!isDraft?.(made)) await this.record(tx, own, made, "created");
      return { own, made };
    });
    return this.reply(own, made, wanted, 201);
  }

  async retrieve(call: C): Promise<Response> {
    const { show, whole } = this.description;
    if (whole !== undefined) return this.reply(call, await this.find(call), this.wanted(call));
    const [body] = await call.deps.db.read(async (tx) => show!(tx, call, [await this.findIn(tx, call)]));
    return json(body);
  }

  /** Changes the record as it is now: two changes of different fields at the same moment both stay. */
  async patch(call: C): Promise<Response> {
    const body = await this.bodyOf(call);
    const { own, changed, wanted } = await call.deps.db.write(async (tx) => {
      const own = await renewed(tx, call);
      // A deleted record can only be brought back.
      const before = await this.findToChange(tx, own, { deleted: body.deleted === false });
      const values = this.read(own, changeFields(this.description), body);
      const wanted = this.wanted(own);
      return { own, changed: await this.changeRecord(tx, own, before, values), wanted };
    });
    return this.reply(own, changed, wanted);
  }

  async remove(call: C): Promise<Response> {
    await call.deps.db.write(async (tx) => {
      const own = await renewed(tx, call);
      const record = await this.findToChange(tx, own);
      await this.description.remove!(tx, own, record);
      await this.record(tx, own, record, "deleted");
    });
    return empty(204);
  }

  /** Changes a record, and notes what has changed. Throws ApiError 400 and 403. */
  async changeRecord(tx: Tx, call: C, before: T, values: V): Promise<T> {
    const { controlled, log, logged, change } = this.description;
    if (controlled !== undefined) requireEditor(call.caller, controlled, asControlled(before));
    const old = await logged!(tx, before);
    const { after, others = [] } = await change!(tx, call, before, values);
    const now = await logged!(tx, after);
    const changes = changesBetween(log, old, now, Object.keys(now));
    await this.record(tx, call, after, "updated", [...changes, ...others]);
    return after;
  }

  /** Notes what the caller did with a record, in the transaction that does it. */
  record(tx: Tx, call: C, record: T, activity: string, changes: Change[] | null = null): Promise<void> {
    const { log: scope, nameOf } = this.description;
    const detail = { name: nameOf(record), short_id: record.shortId, changes };
    return recordOf(tx, call, { ...this.logItem(record), scope, activity, detail });
  }

  /** Where the activity log keeps a record. */
  logItem(record: T): { teamId: number | null; itemId: string } {
    return this.description.logItem?.(record) ?? { teamId: record.teamId ?? null, itemId: String(record.id) };
  }

  /** The answer that shows one record. */
  async reply(call: C, record: T, wanted: S, status = 200): Promise<Response> {
    const { show, whole } = this.description;
    const [body] = await (whole !== undefined
      ? whole.show(call, [record], wanted)
      : call.deps.db.read((tx) => show!(tx, call, [record])));
    return json(body, status);
  }

  /** What the request wants shown. Throws ApiError 400. */
  wanted(call: C): S {
    return this.description.whole?.wanted?.(call) as S;
  }

  private bodyOf(call: C) {
    return this.description.readBody?.(call) ?? call.body();
  }

  private read(call: C, fields: Fields, body: JsonObject): V {
    const values = readFields(fields, body) as V;
    this.description.check?.(call, values);
    return values;
  }
}

/** Records of controlled kinds have a number, and the user that made them. */
const asControlled = (record: Entity) => record as Entity & Controlled;

/** Finds what `:id` names by its number. */
export const byId =
  <T>(find: (tx: Tx, teamId: number, id: number) => Promise<T | null>) =>
  async (tx: Tx, { params, environment }: EnvironmentCall): Promise<T | null> => {
    const id = readId(params.id);
    return id === null ? null : find(tx, environment.id, id);
  };

/** The members of the body of a new record, and of a change. */
export const newFields = ({ fields, changeOnly = [] }: { fields: Fields; changeOnly?: readonly string[] }): Fields =>
  without(fields, changeOnly);
export const changeFields = ({ fields, newOnly = [] }: { fields: Fields; newOnly?: readonly string[] }): Fields =>
  without(fields, newOnly);

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
