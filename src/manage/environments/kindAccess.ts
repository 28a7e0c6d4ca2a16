import { accessOfKinds, CONTROLLED_KINDS, OBJECT_LEVELS } from "../../metadata/mod.ts";
import { permissionDenied } from "../http/errors.ts";
import { choice, nullable, readFields, required } from "../http/fields.ts";
import { empty, json } from "../http/reply.ts";
import { ACCESS_CONTROLS, changeAccess, levelField } from "../resource/accessRoutes.ts";
import { ACCESS_CONTROL, readPeople, showAccess } from "../resource/accessShape.ts";
import { SUBJECT_FIELDS } from "../resource/accessSubject.ts";
import { levelIn } from "../serve/access.ts";
import { renewed } from "../serve/guard.ts";
import { DEFAULT_LEVEL } from "../serve/levels.ts";
import type { Caller, EnvironmentCall, HandledBy } from "../serve/route.ts";

const FIELDS = {
  access_level: nullable(levelField(OBJECT_LEVELS)),
  resource: choice(CONTROLLED_KINDS),
  ...SUBJECT_FIELDS,
};

/** PostHog's name for them, and the one before. */
const PATHS = ["resource_access_controls/", "global_access_controls/"];

/** What members may do with all insights of an environment, all dashboards, all cohorts, all actions. */
export const KIND_ACCESS: HandledBy<EnvironmentCall>[] = PATHS.flatMap((path): HandledBy<EnvironmentCall>[] => [
  {
    method: "GET",
    path,
    summary: "What members may do with all insights, dashboards, cohorts or actions",
    scope: "access_control:read",
    responses: { 200: ACCESS_CONTROLS },
    handle: get,
  },
  {
    method: "PUT",
    path,
    summary:
      "Say what all members, one `organization_member` or those of a `role` may do with all of a `resource`; " +
      "`access_level` null takes it back",
    scope: "access_control:write",
    requires: ["access_level", "resource"],
    responses: { 200: ACCESS_CONTROL.schema, 204: null },
    body: FIELDS,
    handle: put,
  },
]);

const isAdmin = (caller: Caller, { environment }: EnvironmentCall): boolean =>
  levelIn(caller, environment.id) === "admin";

async function get(call: EnvironmentCall): Promise<Response> {
  const { controls, people } = await call.deps.db.read(async (tx) => {
    const controls = await accessOfKinds(tx, call.environment.id);
    return { controls, people: await readPeople(tx, controls) };
  });
  return json({
    access_controls: controls.map((control) => showAccess(control, people)),
    available_access_levels: OBJECT_LEVELS,
    default_access_level: DEFAULT_LEVEL,
    user_access_level: levelIn(call.caller, call.environment.id),
    user_can_edit_access_levels: isAdmin(call.caller, call),
  });
}

async function put(call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  const shown = await call.deps.db.write(async (tx) => {
    const own = await renewed(tx, call);
    if (!isAdmin(own.caller, own)) {
      throw permissionDenied("Must be an Organization admin to modify project-wide permissions.");
    }
    const { access_level, resource, ...values } = readFields(FIELDS, body);
    const wanted = required("access_level", access_level);
    const kind = required("resource", resource);
    const { id: teamId } = own.environment;
    const detail = { name: `all ${kind}s` };
    const item = { teamId, scope: "Team" as const, itemId: String(teamId), detail };
    return changeAccess(tx, own, { target: { teamId, resource: kind, resourceId: null }, wanted, values, item });
  });
  return shown === null ? empty(204) : json(shown);
}
