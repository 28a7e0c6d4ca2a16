import { Type } from "@sinclair/typebox";
import {
  type AccessControl,
  type AccessResource,
  type AccessTarget,
  type ActivityScope,
  accessOf,
  changesBetween,
  ENVIRONMENT_LEVELS,
  OBJECT_LEVELS,
  removeAccess,
  setAccess,
} from "../../metadata/mod.ts";
import { object, oneOf } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { permissionDenied } from "../http/errors.ts";
import { type Field, FieldError, nullable, readFields, required, text } from "../http/fields.ts";
import { empty, json } from "../http/reply.ts";
import { recordOf } from "../serve/activity.ts";
import { renewed } from "../serve/guard.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { ACCESS_CONTROL, readPeople, showAccess } from "./accessShape.ts";
import { requireRoom, SUBJECT_FIELDS, subjectOf } from "./accessSubject.ts";

const LEVEL = oneOf([...new Set([...OBJECT_LEVELS, ...ENVIRONMENT_LEVELS])]);

export const ACCESS_CONTROLS = object("AccessControls", {
  access_controls: Type.Array(ACCESS_CONTROL.schema),
  available_access_levels: Type.Array(LEVEL),
  default_access_level: LEVEL,
  user_access_level: LEVEL,
  user_can_edit_access_levels: Type.Boolean(),
});

/** Something with levels. */
interface Found {
  id: number;
  name: string | null;
  shortId?: string;
  /** What the caller may do with it. */
  ownLevel: string;
}

/** What is special to one kind of it. */
interface Controls {
  /** As answers call it. */
  resource: AccessResource;
  log: ActivityScope;
  /** From nothing to everything. */
  levels: readonly string[];
  defaultLevel: string;
  /** The one that a request names; throws ApiError 404. */
  find(tx: Tx, call: EnvironmentCall): Promise<Found>;
}

/** What members may do with records of one kind. `path`: of a record. */
export function accessRoutes(path: string, kind: Controls): HandledBy<EnvironmentCall>[] {
  const noun = kind.resource === "project" ? "the environment" : `this ${kind.resource}`;
  const fields = { access_level: nullable(levelField(kind.levels)), ...SUBJECT_FIELDS };
  return [
    {
      method: "GET",
      path: `${path}access_controls/`,
      summary: `What members may do with ${noun}`,
      scope: "access_control:read",
      responses: { 200: ACCESS_CONTROLS },
      handle: (call) => get(kind, call),
    },
    {
      method: "PUT",
      path: `${path}access_controls/`,
      summary:
        `Say what all members may do with ${noun}, or one of them (\`organization_member\`), or those of a \`role\`; ` +
        "`access_level` null takes it back",
      scope: "access_control:write",
      requires: ["access_level"],
      responses: { 200: ACCESS_CONTROL.schema, 204: null },
      body: fields,
      handle: (call) => put(kind, fields, call),
    },
  ];
}

/** One of the levels of a kind. */
export function levelField<const L extends string>(levels: readonly L[]): Field<L> {
  const any = text();
  return {
    schema: oneOf(levels),
    read(value) {
      const wanted = any.read(value);
      const found = levels.find((level) => level === wanted);
      if (found !== undefined) return found;
      throw new FieldError("invalid_input", `Invalid access level. Must be one of: ${levels.join(", ")}`);
    },
  };
}

const targetOf = (kind: Controls, call: EnvironmentCall, { id }: Found): AccessTarget => ({
  teamId: call.environment.id,
  resource: kind.resource,
  resourceId: id,
});

async function get(kind: Controls, call: EnvironmentCall): Promise<Response> {
  const { found, controls, people } = await call.deps.db.read(async (tx) => {
    const found = await kind.find(tx, call);
    const controls = await accessOf(tx, targetOf(kind, call, found));
    return { found, controls, people: await readPeople(tx, controls) };
  });
  return json({
    access_controls: controls.map((control) => showAccess(control, people)),
    available_access_levels: kind.levels,
    default_access_level: kind.defaultLevel,
    user_access_level: found.ownLevel,
    user_can_edit_access_levels: found.ownLevel === kind.levels.at(-1),
  });
}

async function put(
  kind: Controls,
  fields: { access_level: Field<string | null> } & typeof SUBJECT_FIELDS,
  call: EnvironmentCall,
): Promise<Response> {
  const body = await call.body();
  const shown = await call.deps.db.write(async (tx) => {
    const own = await renewed(tx, call);
    const found = await kind.find(tx, own);
    if (found.ownLevel !== kind.levels.at(-1)) {
      throw permissionDenied("You don't have sufficient permissions to change access levels.");
    }
    const values = readFields(fields, body);
    const wanted = required("access_level", values.access_level) as AccessControl["level"] | null;
    const detail = { name: found.name, short_id: found.shortId };
    const item = { teamId: own.environment.id, scope: kind.log, itemId: String(found.id), detail };
    return changeAccess(tx, own, { target: targetOf(kind, own, found), wanted, values, item });
  });
  return shown === null ? empty(204) : json(shown);
}

interface Change {
  target: AccessTarget;
  /** Null takes the level back. */
  wanted: AccessControl["level"] | null;
  /** Whose it is, as the body names it. */
  values: Parameters<typeof subjectOf>[2];
  /** Where the activity log keeps it. */
  item: { teamId: number; scope: ActivityScope; itemId: string; detail: { name: string | null; short_id?: string } };
}

/** Sets a level, or takes it back, and notes it; gives what is shown of it then. Throws ApiError 400. */
export async function changeAccess(tx: Tx, call: EnvironmentCall, { target, wanted, values, item }: Change) {
  const { subject, name } = await subjectOf(tx, call, values);
  const present = await accessOf(tx, target);
  const before = present.find(({ userId, roleId }) => userId === subject.userId && roleId === subject.roleId);
  const after =
    wanted === null
      ? null
      : {
          ...target,
          ...subject,
          level: wanted,
          setBy: call.caller.user.id,
          createdAtMs: before?.createdAtMs ?? call.nowMs,
          updatedAtMs: call.nowMs,
        };
  if (after === null) await removeAccess(tx, { ...target, ...subject });
  else {
    if (before === undefined) await requireRoom(tx, target.teamId);
    await setAccess(tx, after);
  }
  const logged = (level: string | undefined) => ({
    access_level: level === undefined ? null : name === null ? level : { ...name, level },
  });
  const changes = changesBetween(item.scope, logged(before?.level), logged(after?.level), ["access_level"]);
  await recordOf(tx, call, { ...item, activity: "updated", detail: { ...item.detail, changes } });
  return after === null ? null : showAccess(after, await readPeople(tx, [after]));
}
