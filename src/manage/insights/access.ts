import { ACCESS_LEVELS, changesBetween, findUsers, type Insight, setInsightAccess } from "../../metadata/mod.ts";
import { accessLevel, DEFAULT_LEVEL } from "../http/access.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { anyJson, FieldError, nullable, readFields, required, text } from "../http/fields.ts";
import { empty, isoTime, json } from "../http/reply.ts";
import { type EnvironmentCall, environmentRoutes } from "../http/route.ts";
import { userBody } from "../http/userBody.ts";
import { record } from "./change.ts";
import { findLiveInsight } from "./show.ts";

const FIELDS = {
  access_level: nullable(level()),
  organization_member: anyJson(),
  role: anyJson(),
};

function level() {
  const any = text();
  return {
    schema: any.schema,
    read(value: Parameters<typeof any.read>[0]) {
      const wanted = any.read(value);
      const found = ACCESS_LEVELS.find((candidate) => candidate === wanted);
      if (found !== undefined) return found;
      throw new FieldError("invalid_input", `Invalid access level. Must be one of: ${ACCESS_LEVELS.join(", ")}`);
    },
  };
}

/** What others may do with an insight. */
export const insightAccessRoutes = environmentRoutes([
  {
    method: "GET",
    path: "insights/:id/access_controls/",
    summary: "What others than its maker and admins may do with an insight",
    scope: "access_control:read",
    async handle(call) {
      const insight = await findLiveInsight(call);
      const own = accessLevel(call.caller, insight);
      return json({
        access_controls: insight.access === null ? [] : [await rowBody(call, insight)],
        available_access_levels: ACCESS_LEVELS,
        default_access_level: DEFAULT_LEVEL,
        user_access_level: own,
        user_can_edit_access_levels: own === "manager",
      });
    },
  },
  {
    method: "PUT",
    path: "insights/:id/access_controls/",
    summary: "Say what others may do with an insight; `access_level` null: the default again",
    scope: "access_control:write",
    body: FIELDS,
    handle: put,
  },
]);

async function put(call: EnvironmentCall): Promise<Response> {
  const insight = await findLiveInsight(call);
  if (accessLevel(call.caller, insight) !== "manager") {
    throw permissionDenied("You don't have sufficient permissions to change access levels.");
  }
  const values = readFields(FIELDS, await call.body());
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
          createdAtMs: insight.access?.createdAtMs ?? call.nowMs,
          updatedAtMs: call.nowMs,
        };
  const logged = (level: string | undefined) => ({ access_level: level ?? null });
  await call.deps.db.write(async (tx) => {
    await setInsightAccess(tx, insight.id, access);
    const [before, after] = [logged(insight.access?.level), logged(access?.level)];
    await record(tx, call, insight, "updated", changesBetween("Insight", before, after, ["access_level"]));
  });
  return access === null ? empty(204) : json(await rowBody(call, { ...insight, access }));
}

async function rowBody(call: EnvironmentCall, { id, access }: Insight) {
  const setBy = access?.setBy ?? null;
  const users = await call.deps.db.read((tx) => findUsers(tx, [setBy]));
  return {
    access_level: access?.level ?? null,
    resource: "insight",
    resource_id: String(id),
    organization_member: null,
    role: null,
    created_by: userBody(users, setBy),
    created_at: isoTime(access?.createdAtMs ?? null),
    updated_at: isoTime(access?.updatedAtMs ?? null),
  };
}
