import { join } from "node:path";
import { downloadFolder, partName } from "../../src/export/mod.ts";
import type { ROUTES } from "../../src/manage/mod.ts";
import {
  addBackfill,
  addRun,
  createInvite,
  createLoginLink,
  createPersonalApiKey,
  createSession,
  createUser,
  findDownload,
  findOwner,
  startJob,
  type User,
} from "../../src/metadata/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import type { ManageServer } from "../support/manage.ts";

export type Route = (typeof ROUTES)[number];
export type GuardedRoute = Exclude<Route, { confinement: "open" }>;

/** A project to ask about; what a route names in it is made when it is asked for. */
export interface Scene {
  server: ManageServer;
  project: string;
}

export async function newScene(server: ManageServer): Promise<Scene> {
  return { server, project: String(await created(server, "/api/projects/", {})) };
}

async function created(server: ManageServer, path: string, body: object): Promise<number | string> {
  const reply = await server.send("POST", path, { body });
  const { id } = (reply.json ?? {}) as { id?: number | string };
  if (reply.status >= 300 || id === undefined) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`);
  return id;
}

const TREND = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "seen" }] };

const trendOf = (scene: Scene) =>
  created(scene.server, `/api/environments/${scene.project}/insights/`, { name: "mine", query: TREND });

const newAlert = async (scene: Scene) => ({
  name: "mine",
  insight: await trendOf(scene),
  condition: { type: "absolute_value" },
  threshold: { configuration: { type: "absolute", bounds: { upper: 1 } } },
});

const newSubscription = async (scene: Scene) => ({
  insight: await trendOf(scene),
  target_type: "email",
  target_value: "ada@example.com",
  frequency: "daily",
  start_date: "2026-01-01T09:00:00Z",
});

/** How an object of a resource is made in a scene, for the path parameter that follows the resource's name. */
const OBJECTS: Record<string, (scene: Scene) => Promise<number | string> | string> = {
  environments: (scene) => scene.project,
  insights: (scene) => created(scene.server, `/api/environments/${scene.project}/insights/`, { name: "mine" }),
  dashboards: (scene) => created(scene.server, `/api/environments/${scene.project}/dashboards/`, { name: "mine" }),
  cohorts: (scene) =>
    created(scene.server, `/api/environments/${scene.project}/cohorts/`, { name: "mine", is_static: true, csv: "ada" }),
  annotations: (scene) =>
    created(scene.server, `/api/environments/${scene.project}/annotations/`, { content: "mine", scope: "project" }),
  actions: (scene) => created(scene.server, `/api/environments/${scene.project}/actions/`, { name: "mine" }),
  alerts: async (scene) => created(scene.server, `/api/environments/${scene.project}/alerts/`, await newAlert(scene)),
  subscriptions: async (scene) =>
    created(scene.server, `/api/environments/${scene.project}/subscriptions/`, await newSubscription(scene)),
  event_definitions: (scene) =>
    created(scene.server, `/api/environments/${scene.project}/event_definitions/`, { name: crypto.randomUUID() }),
  property_definitions: (scene) =>
    created(scene.server, `/api/environments/${scene.project}/property_definitions/`, { name: crypto.randomUUID() }),
  feature_flags: () => "no-flag",
  imports: (scene) => created(scene.server, `/api/environments/${scene.project}/imports/`, NEW_IMPORT),
  dead_letters: deadLetter,
  batch_exports: batchExport,
  runs: (scene) => runOfExport(scene),
  backfills: async (scene) => {
    const id = crypto.randomUUID();
    const { teamId, exportId } = lastExport(scene);
    const range = {
      startAtMs: null,
      nextFromMs: null,
      endAtMs: null,
      uptoMs: scene.server.nowMs,
      isWhole: true,
      totalRuns: 1,
    };
    await scene.server.db.write((tx) => addBackfill(tx, { id, exportId, teamId, ...range, createdAtMs: 0 }));
    return id;
  },
  file_download_batch_exports: fileDownload,
  download: () => "0",
  query: waitingQuery,
  events: storedEvent,
  persons: async (scene) => {
    await storedEvent(scene);
    return personIdOf(Number(scene.project), "ada");
  },
  personal_api_keys: (scene) => created(scene.server, "/api/personal_api_keys/", { label: "mine", scopes: [] }),
  sessions: async ({ server }) => (await sessionOf(server)).id,
  members: async ({ server }) => (await userElse(server)).uuid,
  invites: (scene) => created(scene.server, INVITES, newInvite()),
  roles: async (scene) => {
    const id = String(await created(scene.server, ROLES, { name: crypto.randomUUID() }));
    rolesMade.set(scene, id);
    return id;
  },
  role_memberships: async (scene) => {
    const { uuid: user_uuid } = await userElse(scene.server);
    return created(scene.server, `${ROLES}${rolesMade.get(scene)}/role_memberships/`, { user_uuid });
  },
  signup: async ({ server }) => {
    const { target_email: email } = newInvite();
    const invite = { email, firstName: "", level: "member" as const, createdBy: OWNER_ID, nowMs: server.nowMs };
    return server.db.write(async (tx) => {
      const { organizationId } = (await findOwner(tx))!;
      return (await createInvite(tx, { ...invite, organizationId })).token;
    });
  },
  setup: ({ server }) => server.db.write((tx) => createLoginLink(tx, OWNER_ID, server.nowMs)),
};

const INVITES = "/api/organizations/@current/invites/";
const ROLES = "/api/organizations/@current/roles/";

const newInvite = () => ({ target_email: `${crypto.randomUUID()}@example.com` });

/** The role that was made last in each scene: memberships that are named behind it are of it. */
const rolesMade = new Map<Scene, string>();

const NEW_IMPORT = { source: "file", origin: "/data/events.csv", mapping_hash: "0123" };

const OWNER_ID = 1;

/** A session on this machine; `userId`: the owner's where absent. */
export async function sessionOf(
  { db, nowMs }: ManageServer,
  userId = OWNER_ID,
): Promise<{ id: string; token: string }> {
  const wish = { userId, host: "127.0.0.1", address: null, userAgent: "test", nowMs };
  const { session, token } = await db.write((tx) => createSession(tx, wish));
  return { id: session.id, token };
}

/** An event that queries see, and its person, where the scene's server has a lake. */
async function storedEvent({ server, project }: Scene): Promise<string> {
  const uuid = crypto.randomUUID();
  if (server.lake instanceof StoredLake) {
    const event = { uuid, event: "seen", distinctId: "ada", timestampMs: server.nowMs - 1000 };
    await server.lake.store(Number(project), { events: [event], persons: [{ distinctIds: ["ada"] }], groups: [] });
  }
  return uuid;
}

/** An event that was set aside. */
async function deadLetter({ server, project }: Scene): Promise<number> {
  const row = {
    team_id: Number(project),
    generation: 1,
    lane: "live",
    partition_id: 0,
    sequence: 1,
    frame_index: 0,
    reason: "too_large",
    detail: "",
    event: "",
    at_ms: server.nowMs,
  };
  const rows: { id: number }[] = await server.db.write((tx) => tx`insert into dead_letters ${tx(row)} returning id`);
  return rows[0]!.id;
}

/** The export that was made last in each scene: what is named behind it belongs to it. */
const exportsMade = new Map<Scene, string>();

const lastExport = (scene: Scene) => ({ teamId: Number(scene.project), exportId: exportsMade.get(scene)! });

async function batchExport(scene: Scene): Promise<string> {
  const id = await created(scene.server, `/api/environments/${scene.project}/batch_exports/`, NEW_EXPORT);
  exportsMade.set(scene, String(id));
  return String(id);
}

async function runOfExport(scene: Scene): Promise<string> {
  const { nowMs, db } = scene.server;
  const run = { ...lastExport(scene), backfillId: null, fromMs: nowMs - 3_600_000, toMs: nowMs };
  return (await db.write((tx) => addRun(tx, run, nowMs)))!;
}

/** A download whose only file can be had. */
async function fileDownload({ server, project }: Scene): Promise<string> {
  // Only so many may be under way.
  await server.db.write((tx) => tx`update batch_export_runs set finished_at_ms = 0 where team_id = ${Number(project)}`);
  const id = await created(server, `/api/environments/${project}/file_download_batch_exports/`, NEW_DOWNLOAD);
  const run = await server.db.read((tx) => findDownload(tx, Number(project), String(id)));
  const { folder } = server.deps.exports.env;
  const range = {
    exportId: run!.exportId,
    teamId: Number(project),
    model: "events" as const,
    fromMs: run!.fromMs,
    toMs: run!.toMs,
  };
  const name = partName(range, 0, { format: "Parquet", compression: null, maxPartBytes: null });
  await Bun.write(join(downloadFolder(folder, run!.exportId), name), "PAR1");
  return String(id);
}

const NEW_EXPORT = {
  name: "mine",
  interval: "hour",
  destination: { type: "Folder", config: { path: "mine" } },
};
const NEW_DOWNLOAD = {
  file: { format: "Parquet" },
  model: "events",
  data_interval_start: "2025-01-01T00:00:00Z",
  data_interval_end: "2025-01-02T00:00:00Z",
};

/** A background query that nobody has taken yet. */
async function waitingQuery({ server, project }: Scene): Promise<string> {
  const id = crypto.randomUUID();
  const run = { teamId: Number(project), id, runId: id, cacheKey: id, question: "{}", userId: 1 };
  await server.db.write((tx) =>
    startJob(tx, { ...run, startedAtMs: server.nowMs, expiresAtMs: server.nowMs + 600_000 }, 100),
  );
  return id;
}

/** The same where nothing of the caller's may be found, beside what another scene has. */
const FOREIGN: Record<string, (scene: Scene) => Promise<string> | string> = {
  personal_api_keys: ({ server }) => keyOfSomebodyElse(server),
  sessions: async ({ server }) => (await sessionOf(server, (await userElse(server)).id)).id,
  members: () => "018e0000-0000-4000-8000-000000000000",
  invites: () => "018e0000-0000-4000-8000-000000000000",
  roles: () => "018e0000-0000-4000-8000-000000000000",
  role_memberships: () => "018e0000-0000-4000-8000-000000000000",
  users: () => "018e0000-0000-4000-8000-000000000000",
  organizations: () => "018e0000-0000-4000-8000-000000000000",
};

/** Stand-ins that need no making. */
const OWN: Record<string, string> = { users: "@me", organizations: "@current" };

/** Another user, of the level `member`. */
export function userElse({ db }: ManageServer): Promise<User> {
  return db.write(async (tx) => {
    const { organizationId } = (await findOwner(tx))!;
    const user = { organizationId, level: "member" as const, firstName: "Else", email: "else@example.com", nowMs: 0 };
    return createUser(tx, user);
  });
}

async function keyOfSomebodyElse(server: ManageServer): Promise<string> {
  const { id: userId } = await userElse(server);
  const wish = { userId, label: "else", scopes: [], scopedTeams: [], level: "member" as const, nowMs: 0 };
  return (await server.db.write((tx) => createPersonalApiKey(tx, wish))).key.id;
}

export interface Wish {
  /** In place of the scene's project. */
  project?: string;
  /** Whose objects are named; the scene's own where absent. */
  objectsOf?: Scene;
}

/** The path of a route with real ids in it. */
export async function pathOf(route: Route, scene: Scene, wish: Wish = {}): Promise<string> {
  const parts: string[] = [];
  for (const part of route.path.split("/")) {
    const isParameter = part.startsWith(":");
    if (part === ":project_id") parts.push(wish.project ?? scene.project);
    else parts.push(isParameter ? await objectOf(parts.at(-1)!, scene, wish) : part);
  }
  return parts.join("/");
}

async function objectOf(resource: string, scene: Scene, { objectsOf: other }: Wish): Promise<string> {
  const foreign = FOREIGN[resource];
  if (other !== undefined && foreign !== undefined) return foreign(scene);
  const make = OBJECTS[resource];
  const own = OWN[resource] ?? (await make?.(other ?? scene));
  if (own === undefined) throw new Error(`test/manage/scene.ts knows no object of "${resource}"`);
  return String(own);
}

/**
 * What makes a route that changes something do so, by method and the end of its path; an empty body where nothing is
 * named. A route that changes nothing with it fails the test of the activity log.
 */
const BODIES: [RegExp, object | ((scene: Scene) => Promise<object> | object)][] = [
  [/^POST .*\/tiles\/$/, async (scene) => ({ insight: await OBJECTS.insights!(scene) })],
  [/^(POST|PATCH|PUT) .*\/insights\/(:id\/)?$/, { name: "new name" }],
  [/^(POST|PATCH) .*\/dashboards\/(:id\/)?$/, { name: "new name" }],
  [/^POST .*\/(actions|event_definitions|property_definitions)\/$/, { name: "new name" }],
  [/^POST .*\/cohorts\/$/, { name: "new name", filters: { properties: { type: "OR", values: [] } } }],
  [/^POST .*\/cohorts\/size\/$/, { filters: { properties: { type: "OR", values: [] } } }],
  [/^POST .*\/actions\/preview\/$/, { steps: [{ event: "seen" }] }],
  [/\/annotations\/(:id\/)?$/, { content: "new", scope: "project" }],
  [/^PATCH .*_definitions\/:id\/$/, { description: "new" }],
  [/^POST .*\/alerts\/$/, newAlert],
  [/^POST .*\/subscriptions\/$/, newSubscription],
  [/^(PATCH|PUT) .*\/alerts\/:id\/$/, { name: "new name" }],
  [/^(PATCH|PUT) .*\/subscriptions\/:id\/$/, { title: "new title" }],
  [/add_persons_to_static_cohort/, { person_ids: ["0190d6e2-0000-7000-8000-000000000001"] }],
  [/remove_person_from_static_cohort/, ({ project }) => ({ person_id: personIdOf(Number(project), "ada") })],
  [/^PUT .*(resource|global)_access_controls\/$/, { access_level: "viewer", resource: "insight" }],
  [/^PUT .*(:project_id|environments\/:id)\/access_controls\/$/, { access_level: "member" }],
  [/^PUT .*\/access_controls\/$/, { access_level: "viewer" }],
  [/^POST .*\/imports\/$/, NEW_IMPORT],
  [/^PATCH .*\/imports\/:id\/$/, { state: "sending" }],
  [/^PATCH .*\/sharing\/$/, { enabled: true }],
  [/_(intent|onboarding)\/$/, { product_type: "web_analytics" }],
  [/^POST .*\/groups_types\/$/, { group_types: ["company"] }],
  [/^POST .*\/persons\/$/, { distinct_ids: ["ada"], properties: { plan: "free" } }],
  [/^POST .*\/persons\/batch\/$/, { persons: [{ distinct_ids: ["ada"], properties: { plan: "free" } }] }],
  [/^POST \/api\/personal_api_keys\/$/, { label: "new", scopes: [] }],
  [/^PATCH \/api\/personal_api_keys\/:id\/$/, { label: "new name" }],
  [/^PATCH \/api\/users\//, { first_name: "New" }],
  [/^POST \/api\/login\//, { email: "owner@localhost.localdomain", password: "not the password" }],
  [/^POST \/api\/setup\//, { password: "a new password" }],
  [/^POST .*\/batch_exports\/$/, NEW_EXPORT],
  [/^POST .*\/file_download_batch_exports\/$/, NEW_DOWNLOAD],
  [/^POST .*\/backfills\/$/, { start_at: "2025-01-01T00:00:00Z", end_at: "2025-01-02T00:00:00Z" }],
  [/run_test_step/, { destination: NEW_EXPORT.destination }],
  [/^PATCH .*\/members\//, { level: 8 }],
  [/^POST .*\/invites\/$/, newInvite],
  [/^POST .*\/roles\/$/, () => ({ name: crypto.randomUUID() })],
  [/^PATCH .*\/roles\//, () => ({ name: crypto.randomUUID() })],
  [/^POST .*\/role_memberships\/$/, async ({ server }) => ({ user_uuid: (await userElse(server)).uuid })],
  [/^POST \/api\/signup\//, { first_name: "New", password: "a new password" }],
  [/^PATCH /, { name: "new name" }],
];

export async function bodyOf(route: Route, scene: Scene): Promise<object | undefined> {
  if (route.method === "GET") return undefined;
  const name = `${route.method} ${route.path}`;
  const body = BODIES.find(([pattern]) => pattern.test(name))?.[1] ?? {};
  return typeof body === "function" ? await body(scene) : body;
}

/** Sends what the route is for. */
export async function send(route: Route, scene: Scene, key: string | null, wish: Wish = {}, search = "") {
  const path = await pathOf(route, scene, wish);
  return scene.server.send(route.method, `${path}${search}`, { key, body: await bodyOf(route, scene) });
}
