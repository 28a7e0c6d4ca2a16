import { pageEnvironments, type User } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { environmentsOf } from "../serve/access.ts";
import { environmentLevel } from "../serve/levels.ts";
import { hasLevel } from "../serve/userLevel.ts";

/** The oldest environment that is not closed to a user; null where all are. */
export async function firstOpenEnvironment(tx: Tx, user: User): Promise<number | null> {
  const levels = await environmentsOf(tx, user, user.level);
  const isAdmin = hasLevel(user, "admin");
  const closedIds = [...levels].filter(([, one]) => environmentLevel(isAdmin, one) === "none").map(([id]) => id);
  const { items } = await pageEnvironments(tx, { limit: 1, offset: 0, closedIds });
  return items[0]?.id ?? null;
}
