import {
  type ControlledKind,
  type Environment,
  environmentAccessOf,
  objectAccessOf,
  type User,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Controlled } from "../serve/access.ts";
import { environmentLevel, ObjectLevels, setLevelsOf } from "../serve/levels.ts";
import { hasLevel } from "../serve/userLevel.ts";

/** What a member may see of an environment while it asks nothing itself: what is sent to it, or for it. */
export class MemberAccess {
  private constructor(
    private readonly user: User,
    private readonly isAdmin: boolean,
    private readonly isClosed: boolean,
    private readonly objects: ObjectLevels,
  ) {}

  static async of(tx: Tx, user: User, { id: teamId }: Environment): Promise<MemberAccess> {
    if (hasLevel(user, "admin")) return new MemberAccess(user, true, user.isRemoved, new ObjectLevels());
    const here = (await environmentAccessOf(tx, user.id)).filter((control) => control.teamId === teamId);
    const level = environmentLevel(false, setLevelsOf(here));
    const objects = new ObjectLevels(await objectAccessOf(tx, { teamId, userId: user.id }));
    return new MemberAccess(user, level === "admin", user.isRemoved || level === "none", objects);
  }

  sees(kind: ControlledKind, { id, createdBy }: Controlled): boolean {
    if (this.isClosed) return false;
    const who = { isAdmin: this.isAdmin, isMaker: createdBy === this.user.id };
    return this.objects.of(kind, id, who) !== "none";
  }
}
