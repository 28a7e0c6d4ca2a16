import {
  accessOfKind,
  CONTROLLED_KINDS,
  type ControlledKind,
  type EnvironmentLevel,
  environmentAccessOf,
  type Nameable,
  OBJECT_LEVELS,
  type ObjectLevel,
  objectAccessOf,
  type User,
  type Visible,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { permissionDenied } from "../http/errors.ts";
import { environmentLevel, ObjectLevels, setLevelsOf, visibleToEach } from "./levels.ts";
import type { Caller } from "./route.ts";
import { hasLevel } from "./userLevel.ts";

/** Restriction and privilege levels of the API. */
const EVERYONE_CAN_EDIT = 21;
const ONLY_COLLABORATORS_CAN_EDIT = 37;
const CAN_VIEW = 21;
const CAN_EDIT = 37;

/** For whom an object is shown: a caller with a key, or a request with its link. */
export type Viewer = Caller | "link";

/** Something with levels of its own. */
export interface Controlled {
  id: number;
  createdBy: number | null;
}

/** What a viewer may do with an object of a kind. */
export function accessLevel(viewer: Viewer, kind: ControlledKind, { id, createdBy }: Controlled): ObjectLevel {
  if (viewer === "link") return "viewer";
  return viewer.objects.of(kind, id, { isAdmin: seesAll(viewer), isMaker: createdBy === viewer.user.id });
}

/** Whether a caller's lists have what is closed to others, too. */
export function seesAll(caller: Caller): boolean {
  return hasLevel(caller, "admin");
}

/** What a caller's lists of a kind have; null: everything. */
export function visibleTo(caller: Caller, kind: ControlledKind): Visible | null {
  return seesAll(caller) ? null : caller.objects.visible(kind, caller.user.id);
}

/** The same of every kind; none where the caller sees everything. */
export function allVisibleTo(caller: Caller): ReadonlyMap<ControlledKind, Visible> {
  if (seesAll(caller)) return new Map();
  return new Map(CONTROLLED_KINDS.map((kind) => [kind, caller.objects.visible(kind, caller.user.id)]));
}

/** Whether that is enough to do something for which `level` is asked. */
export function mayDo(viewer: Viewer, kind: ControlledKind, object: Controlled, level: ObjectLevel): boolean {
  return isAtLeast(accessLevel(viewer, kind, object), level);
}

/** Whether a level is at least another one. */
export const isAtLeast = (has: ObjectLevel, level: ObjectLevel): boolean =>
  OBJECT_LEVELS.indexOf(has) >= OBJECT_LEVELS.indexOf(level);

/** Throws ApiError 403 for a viewer that may not change the object. */
export function requireEditor(viewer: Viewer, kind: ControlledKind, object: Controlled): void {
  if (!mayDo(viewer, kind, object, "editor"))
    throw permissionDenied(`You don't have edit permissions for this ${kind}.`);
}

/** Throws ApiError 403 for a caller that may not make objects of a kind. */
export function requireMaker(caller: Caller, kind: ControlledKind): void {
  if (isAtLeast(caller.objects.ofKind(kind, seesAll(caller)), "editor")) return;
  throw permissionDenied(`You don't have edit permissions for ${kind}s.`);
}

/** What a caller may do with objects of each kind that others make; to make one needs `editor`. */
export async function makingLevels(
  tx: Tx,
  caller: Caller,
  teamId: number,
): Promise<Record<ControlledKind, ObjectLevel>> {
  const isAdmin = levelIn(caller, teamId) === "admin";
  const levels = new ObjectLevels(isAdmin ? [] : await objectAccessOf(tx, { teamId, userId: caller.user.id }));
  const entries = CONTROLLED_KINDS.map((kind) => [kind, levels.ofKind(kind, isAdmin)] as const);
  return Object.fromEntries(entries) as Record<ControlledKind, ObjectLevel>;
}

/** The fields about rights that objects of a project carry. */
export function accessFields(viewer: Viewer, kind: ControlledKind, object: Controlled) {
  const isEditor = mayDo(viewer, kind, object, "editor");
  return {
    effective_restriction_level: viewer === "link" ? ONLY_COLLABORATORS_CAN_EDIT : EVERYONE_CAN_EDIT,
    effective_privilege_level: isEditor ? CAN_EDIT : CAN_VIEW,
    user_access_level: accessLevel(viewer, kind, object),
  };
}

/** The levels of objects of an environment that apply to everyone: what a link opens. */
export async function levelsForAll(tx: Tx, teamId: number): Promise<ObjectLevels> {
  return new ObjectLevels(await objectAccessOf(tx, { teamId, userId: null }));
}

/** Of a link: its questions may name what is open to every member, since each of them may open it. */
export async function linkCaller(tx: Tx, teamId: number): Promise<Pick<Caller, "nameable">> {
  const ofKind = async (kind: ControlledKind) =>
    limited(visibleToEach(await accessOfKind(tx, { teamId, kind }), kind, NO_MAKER));
  return { nameable: { cohorts: await ofKind("cohort"), actions: await ofKind("action") } };
}

/** No user has this id. */
const NO_MAKER = -1;

/** What a question may name whose asker has these levels. `makerId`: its own is open to it. */
export function nameableBy(levels: ObjectLevels, makerId: number): Nameable {
  const ofKind = (kind: ControlledKind) => limited(levels.visible(kind, makerId));
  return { cohorts: ofKind("cohort"), actions: ofKind("action") };
}

/** Null for what leaves nothing out. */
const limited = (visible: Visible): Visible | null => (visible.isOpen && visible.except.length === 0 ? null : visible);

/** The levels of environments that apply to a user, by id; none for an admin, who has all rights. */
export async function environmentsOf(tx: Tx, user: User, level: Caller["level"]): Promise<Caller["environments"]> {
  if (hasLevel({ level }, "admin")) return new Map();
  const controls = await environmentAccessOf(tx, user.id);
  return new Map([...Map.groupBy(controls, ({ teamId }) => teamId)].map(([id, some]) => [id, setLevelsOf(some)]));
}

/** What a caller may do in an environment. */
export function levelIn(caller: Pick<Caller, "grant" | "environments">, id: number): EnvironmentLevel {
  return environmentLevel(hasLevel(caller.grant, "admin"), caller.environments.get(id));
}

/** Environments that a caller may not know of. */
export const closedTo = (caller: Caller): number[] =>
  [...caller.environments.keys()].filter((id) => levelIn(caller, id) === "none");
