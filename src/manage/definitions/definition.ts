import { Type } from "@sinclair/typebox";
import {
  type ActivityScope,
  changeTimeMs,
  type DefinitionText,
  findUsers,
  newDefinitionText,
} from "../../metadata/mod.ts";
import { TIME, text as textSchema } from "../../openapi/mod.ts";
import type { Listed, ListPage, Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import { boolean, type Fields, type FieldValues, mapped, nullable, required, text } from "../http/fields.ts";
import type { QueryParameters } from "../http/query.ts";
import type { Entity } from "../resource/description.ts";
import { held } from "../resource/held.ts";
import { Resource } from "../resource/resource.ts";
import { apiValues, type Members, shape, userOf, type WithUsers } from "../resource/shape.ts";
import { tagsField } from "../resource/tags.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** Longer names are never detected, so none is made by hand either. */
const NAME_MAX = 200;
const DESCRIPTION_MAX = 10_000;

const NAME_FIELDS = { name: text({ maxLength: NAME_MAX }) };
const TEXT_FIELDS = {
  description: mapped(nullable(text({ maxLength: DESCRIPTION_MAX, blank: true })), (value) => value ?? ""),
  tags: tagsField(),
  verified: boolean(),
  hidden: boolean(),
};
type TextValues = FieldValues<typeof TEXT_FIELDS>;

interface Definition extends DefinitionText, Entity {
  id: string;
  teamId: number;
  name: string;
}
type Draft<D extends Definition> = Omit<D, "id" | "teamId">;

/** What definitions of one kind have of their own. */
interface DefinitionKind<D extends Definition, F extends Fields, C extends EnvironmentCall> {
  noun: "event" | "property";
  log: Extract<ActivityScope, "EventDefinition" | "PropertyDefinition">;
  /** Members of the body beside what all have; of a new one alone those of `newOnly`. */
  fields: F;
  newOnly: readonly (keyof F & string)[];
  /** Members of the answer beside those that all have. */
  members: Members<D, { call: C }>;
  /** The columns that a list can be ordered by. */
  orders: Readonly<Record<string, string>>;
  /** What `list` and `find` read of the query string. */
  listQuery: QueryParameters;
  findQuery: QueryParameters;
  /** What `:id` names. */
  find(tx: Tx, call: C): Promise<D | null>;
  list(tx: Tx, call: C, page: ListPage): Promise<Listed<D>>;
  /** A new one as its values ask for it. Throws ApiError 400. */
  draft(values: FieldValues<F>, base: DefinitionText & { name: string; createdAtMs: number }): Draft<D>;
  /** Null where there is one already. */
  create(tx: Tx, teamId: number, draft: Draft<D>): Promise<D | null>;
  change(definition: D, values: FieldValues<F>): D;
  update(tx: Tx, definition: D): Promise<void>;
  remove(tx: Tx, definition: D): Promise<void>;
  /** What the activity log compares beside what people say of it. */
  logged: readonly string[];
}

/** The whole resource of one kind of definitions: what is known of events, or of properties. */
export function definitionResource<D extends Definition, F extends Fields, C extends EnvironmentCall = EnvironmentCall>(
  kind: DefinitionKind<D, F, C>,
) {
  const { noun, newOnly, draft, create, change, update, remove } = kind;
  const name = `${noun}_definition` as const;
  const { schema, show } = shape<D, WithUsers & { call: C }>(kind.log, {
    id: textSchema(),
    name: textSchema(),
    description: textSchema(),
    tags: Type.Array(textSchema()),
    verified: Type.Boolean(),
    hidden: Type.Boolean(),
    updated_at: TIME,
    updated_by: userOf(({ updatedBy }) => updatedBy),
    ...kind.members,
  });
  return new Resource<D, FieldValues<typeof NAME_FIELDS> & TextValues & FieldValues<F>, C>({
    ...kind,
    orderName: "ordering",
    noun: "definition",
    path: `${name}s`,
    hold: held(`${name}s`, kind.find),
    scope: name,
    summaries: {
      list: `List what is known of each ${noun}`,
      create: `Define the ${noun} of a name before it arrives`,
      retrieve: "Retrieve a definition, by its id or name",
      change: "Change a definition, by its id or name; what is hidden is not verified",
      remove: "Forget what is said of a name; it is defined anew when it arrives again",
    },
    fields: { ...NAME_FIELDS, ...kind.fields, ...TEXT_FIELDS },
    newOnly: [...Object.keys(NAME_FIELDS), ...newOnly],
    requires: ["name"],
    schema,
    check(_call, { hidden, verified }) {
      if (!hidden || !verified) return;
      const what = noun === "event" ? "An event" : "A property";
      throw invalidField(null, "invalid_input", `${what} cannot be both hidden and verified`);
    },
    async make(tx, call, values) {
      const name = required("name", values.name);
      const base = { ...newDefinitionText(call.nowMs), name, createdAtMs: call.nowMs };
      const made = await create(tx, call.environment.id, withText(draft(values, base), values, call));
      if (made === null) throw invalidField("name", "unique", `The ${noun} "${name}" is defined already.`);
      return made;
    },
    async change(tx, call, before, values) {
      const after = withText(change(before, values), values, call);
      await update(tx, after);
      return { after };
    },
    remove: (tx, _call, definition) => remove(tx, definition),
    nameOf: ({ name }) => name,
    logged: (_tx, definition) => apiValues(definition, [...Object.keys(TEXT_FIELDS), ...kind.logged]),
    async show(tx, call, definitions) {
      const authors = definitions.map(({ updatedBy }) => updatedBy);
      const users = await findUsers(tx, authors);
      return definitions.map((definition) => show(definition, { users, call }));
    },
  });
}

function withText<T extends DefinitionText>(
  definition: T,
  { description, tags, verified, hidden }: TextValues,
  { caller, nowMs }: EnvironmentCall,
): T {
  // Each of the two ends the other.
  const marks =
    hidden === true
      ? { hidden, verified: false }
      : verified === true
        ? { hidden: false, verified }
        : { hidden, verified };
  const given = Object.entries({ description, tags, ...marks }).filter(([, value]) => value !== undefined);
  return {
    ...definition,
    ...Object.fromEntries(given),
    updatedBy: caller.user.id,
    updatedAtMs: changeTimeMs(definition.updatedAtMs, nowMs),
  };
}
