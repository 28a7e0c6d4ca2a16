import { Type } from "@sinclair/typebox";
import {
  type Access,
  type ActivityScope,
  type ControlledTable,
  changesBetween,
  ENVIRONMENT_LEVELS,
  findUsers,
  OBJECT_LEVELS,
  setAccess,
} from "../../metadata/mod.ts";
import { nullable as nullableSchema, object, oneOf, TIME, text as textSchema } from "../../openapi/mod.ts";
import { anyJson } from "../http/compound.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { type Field, FieldError, nullable, readFields, required, text } from "../http/fields.ts";
import { empty, isoTime, json } from "../http/reply.ts";
import { recordOf } from "../serve/activity.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { always, shape, userOf, type WithUsers } from "./shape.ts";

const LEVEL = oneOf([...new Set([...OBJECT_LEVELS, ...ENVIRONMENT_LEVELS])]);

/** What is said of one record; `resource`: its kind. */
const ACCESS_CONTROL = shape<{ access: Access<string>; id: number; resource: string }, WithUsers>("AccessControl", {
  access_level: [nullableSchema(LEVEL), ({ access }) => access.level],
  resource: textSchema(),
  resource_id: [textSchema(), ({ id }) => String(id)],
  organization_member: always(null),
  role: always(null),
  created_by: userOf(({ access }) => access.setBy),
  created_at: [nullableSchema(TIME), ({ access }) => isoTime(access.createdAtMs)],
  updated_at: [nullableSchema(TIME), ({ access }) => isoTime(access.updatedAtMs)],
});

const ACCESS_CONTROLS = object("AccessControls", {
  access_controls: Type.Array(ACCESS_CONTROL.schema),
  available_access_levels: Type.Array(LEVEL),
  default_access_level: LEVEL,
  user_access_level: LEVEL,
  user_can_edit_access_levels: Type.Boolean(),
});

/** Something of which is said what those below the level of an admin may do with it. */
interface Controlled {
  id: number;
  name: string | null;
  shortId?: string;
  access: Access<string> | null;
}

interface Found extends Controlled {
  /** What the caller may do with it. */
  ownLevel: string;
}

/** What is special to one kind of it. */
interface ControlledKind {
  /** As answers call it. */
  resource: string;
  log: ActivityScope;
  table: ControlledTable;
  /** From nothing to everything. */
  levels: readonly string[];
  defaultLevel: string;
  /** The one that a request names; throws ApiError 404. */
  find(call: EnvironmentCall): Promise<Found>;
}

/** What others than admins may do with records of one kind. `path`: of a record. */
export function accessRoutes(path: string, kind: ControlledKind): HandledBy<EnvironmentCall>[] {
  const noun = kind.resource === "project" ? "the environment" : `this ${kind.resource}`;
  const fields = fieldsOf(kind.levels);
  return [
    {
      method: "GET",
      path: `${path}access_controls/`,
      summary: `What keys below the level \`admin\` may do with ${noun}`,
      scope: "access_control:read",
      responses: { 200: ACCESS_CONTROLS },
      handle: (call) => get(kind, call),
    },
    {
      method: "PUT",
      path: `${path}access_controls/`,
      summary: `Say what keys below the level \`admin\` may do with ${noun}; \`access_level\` null: the default again`,
      scope: "access_control:write",
      requires: ["access_level"],
      responses: { 200: ACCESS_CONTROL.schema, 204: null },
      body: fields,
      handle: (call) => put(kind, fields, call),
    },
  ];
}

/** A level for all is supported, none for some. */
const NOBODY = { ...anyJson(), schema: Type.Null() };

const fieldsOf = (levels: readonly string[]) => ({
  access_level: nullable(level(levels)),
  organization_member: NOBODY,
  role: NOBODY,
});

function level(levels: readonly string[]): Field<string> {
  const any = text();
  return {
    schema: oneOf(levels),
    read(value) {
      const wanted = any.read(value);
      if (levels.includes(wanted)) return wanted;
      throw new FieldError("invalid_input", `Invalid access level. Must be one of: ${levels.join(", ")}`);
    },
  };
}

async function get(kind: ControlledKind, call: EnvironmentCall): Promise<Response> {
  const found = await kind.find(call);
  return json({
    access_controls: found.access === null ? [] : [await rowBody(kind, call, found.id, found.access)],
    available_access_levels: kind.levels,
    default_access_level: kind.defaultLevel,
    user_access_level: found.ownLevel,
    user_can_edit_access_levels: found.ownLevel === kind.levels.at(-1),
  });
}

async function put(
  kind: ControlledKind,
  fields: ReturnType<typeof fieldsOf>,
  call: EnvironmentCall,
): Promise<Response> {
  const found = await kind.find(call);
  if (found.ownLevel !== kind.levels.at(-1)) {
    throw permissionDenied("You don't have sufficient permissions to change access levels.");
  }
  const values = readFields(fields, await call.body());
  const wanted = required("access_level", values.access_level);
  for (const name of ["organization_member", "role"] as const) {
    if (values[name] != null) throw invalidField(name, "invalid_input", "A level for all is supported, none for some.");
  }
  const access =
    wanted === null
      ? null
      : {
          level: wanted,
          setBy: call.caller.user.id,
          createdAtMs: found.access?.createdAtMs ?? call.nowMs,
          updatedAtMs: call.nowMs,
        };
  const logged = (said: string | undefined) => ({ access_level: said ?? null });
  await call.deps.db.write(async (tx) => {
    await setAccess(tx, kind.table, found.id, access);
    const [before, after] = [logged(found.access?.level), logged(access?.level)];
    const named = { name: found.name, short_id: found.shortId };
    const detail = { ...named, changes: changesBetween(kind.log, before, after, ["access_level"]) };
    const item = { teamId: call.environment.id, scope: kind.log, itemId: String(found.id) };
    await recordOf(tx, call, { ...item, activity: "updated", detail });
  });
  return access === null ? empty(204) : json(await rowBody(kind, call, found.id, access));
}

async function rowBody({ resource }: ControlledKind, call: EnvironmentCall, id: number, access: Access<string>) {
  const users = await call.deps.db.read((tx) => findUsers(tx, [access.setBy]));
  return ACCESS_CONTROL.show({ resource, id, access }, { users });
}
