import {
  type AccessControl,
  type ControlledKind,
  ENVIRONMENT_LEVELS,
  type EnvironmentLevel,
  OBJECT_LEVELS,
  type ObjectLevel,
  type Visible,
} from "../../metadata/mod.ts";

/** The levels of one thing that apply to a caller. */
export interface SetLevels<L> {
  /** Of all members; null where nobody has set it. */
  forAll: L | null;
  /** Of the caller by name, and of its roles. */
  named: readonly L[];
}

const NOTHING = { forAll: null, named: [] } as const;

/** The level of an object without any. */
export const DEFAULT_LEVEL: ObjectLevel = "editor";
export const DEFAULT_ENVIRONMENT_LEVEL: EnvironmentLevel = "member";

const highest = <L>(order: readonly L[], levels: readonly L[]): L =>
  levels.reduce((most, level) => (order.indexOf(level) > order.indexOf(most) ? level : most));

/** The levels of one object, and of all of its kind. */
interface ObjectCase {
  /** Whether the caller is an admin: of the organization, or here. */
  isAdmin: boolean;
  /** Whether the caller made the object. */
  isMaker: boolean;
  own: SetLevels<ObjectLevel>;
  kind: SetLevels<ObjectLevel>;
}

/**
 * What a caller may do with an object. The first of these decides:
 * 1. admins, and the one who made it: everything;
 * 2. levels of the object for the caller by name or role: the highest;
 * 3. `none` for all on the object: nothing;
 * 4. levels of the kind for the caller by name or role: the highest of them and of the kind's level for all;
 * 5. the object's level for all;
 * 6. the kind's level for all;
 * 7. `editor`.
 */
function objectLevel({ isAdmin, isMaker, own, kind }: ObjectCase): ObjectLevel {
  if (isAdmin || isMaker) return "manager";
  if (own.named.length > 0) return highest(OBJECT_LEVELS, own.named);
  if (own.forAll === "none") return "none";
  if (kind.named.length > 0) return highest(OBJECT_LEVELS, [...kind.named, kind.forAll ?? "none"]);
  return own.forAll ?? kind.forAll ?? DEFAULT_LEVEL;
}

/** What a caller may do in an environment: levels by name or role come before the one for all. */
export function environmentLevel(isAdmin: boolean, set: SetLevels<EnvironmentLevel> = NOTHING): EnvironmentLevel {
  if (isAdmin) return "admin";
  return set.named.length > 0 ? highest(ENVIRONMENT_LEVELS, set.named) : (set.forAll ?? DEFAULT_ENVIRONMENT_LEVEL);
}

/** The levels of the objects of an environment that apply to a caller. */
export class ObjectLevels {
  private readonly kinds = new Map<
    ControlledKind,
    { kind: SetLevels<ObjectLevel>; objects: Map<number, SetLevels<ObjectLevel>> }
  >();

  constructor(controls: readonly AccessControl[] = []) {
    for (const [resource, ofKind] of Map.groupBy(controls, (control) => control.resource)) {
      const objects = new Map<number, SetLevels<ObjectLevel>>();
      for (const [id, ofObject] of Map.groupBy(ofKind, (control) => control.resourceId)) {
        if (id !== null) objects.set(id, setLevelsOf(ofObject));
      }
      const kind = setLevelsOf<ObjectLevel>(ofKind.filter(({ resourceId }) => resourceId === null));
      this.kinds.set(resource as ControlledKind, { kind, objects });
    }
  }

  /** Of one object. */
  of(kind: ControlledKind, id: number, who: { isAdmin: boolean; isMaker: boolean }): ObjectLevel {
    const set = this.kinds.get(kind);
    return objectLevel({ ...who, own: set?.objects.get(id) ?? NOTHING, kind: set?.kind ?? NOTHING });
  }

  /** Of an object that somebody else makes later. */
  ofKind(kind: ControlledKind, isAdmin: boolean): ObjectLevel {
    return objectLevel({ isAdmin, isMaker: false, own: NOTHING, kind: this.kinds.get(kind)?.kind ?? NOTHING });
  }

  /** The objects of a kind that a member may see. */
  visible(kind: ControlledKind, makerId: number): Visible {
    const isOpen = this.ofKind(kind, false) !== "none";
    const others = { isAdmin: false, isMaker: false };
    const ids = [...(this.kinds.get(kind)?.objects.keys() ?? [])];
    const except = ids.filter((id) => (this.of(kind, id, others) !== "none") !== isOpen);
    return { isOpen, except, makerId };
  }
}

/**
 * The objects of a kind that are open to every member, by whatever name and role: none of them is closed to somebody who reads what
 * anyone may read. `controls`: all of the kind. A role counts as a member that has it alone.
 */
export function visibleToEach(controls: readonly AccessControl[], kind: ControlledKind, makerId: number): Visible {
  const named = Map.groupBy(controls, ({ userId, roleId }) => roleId ?? userId);
  const forAll = named.get(null) ?? [];
  const each = [...named.values()].map((own) => new ObjectLevels(own === forAll ? own : [...forAll, ...own]));
  const others = { isAdmin: false, isMaker: false };
  const isOpen = each.every((levels) => levels.ofKind(kind, false) !== "none");
  const ids = new Set(controls.flatMap(({ resourceId }) => resourceId ?? []));
  const except = [...ids].filter((id) => each.every((levels) => levels.of(kind, id, others) !== "none") !== isOpen);
  return { isOpen, except, makerId };
}

const isForAll = ({ userId, roleId }: AccessControl) => userId === null && roleId === null;

/** The levels of one thing. */
export function setLevelsOf<L extends string>(controls: readonly AccessControl[]): SetLevels<L> {
  const named = controls.filter((control) => !isForAll(control)).map(({ level }) => level as L);
  return { forAll: (controls.find(isForAll)?.level as L | undefined) ?? null, named };
}
