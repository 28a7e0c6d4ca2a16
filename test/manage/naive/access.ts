/** One level, as an admin has set it. */
export interface Row {
  /** One object, or all of the kind. */
  on: number | "all";
  /** A user, a role, or all members. */
  for: { user: number } | { role: number } | "all";
  level: string;
}

/** What there is to decide about: one kind of objects, and the users of an organization. */
export interface World {
  rows: readonly Row[];
  /** The maker of each object. */
  makers: ReadonlyMap<number, number>;
  /** The roles of each user. */
  roles: ReadonlyMap<number, readonly number[]>;
  admins: ReadonlySet<number>;
}

const RANK = ["none", "viewer", "editor", "manager"];

/**
 * PostHog's rules, told as it tells them: the makers of objects and the organization's admins have the highest level. Else rows for
 * the member or its roles on the object itself; else the rows of the resource that apply to it, of which the highest counts; else the
 * row for everyone on the object; else the default. Two differences: an object that is closed to everyone is open by its own rows
 * alone (PostHog's lists hide it, too), and where the resource has a row for everyone alone, that of the object comes first.
 */
export function levelOf(world: World, user: number, object: number): string {
  if (world.admins.has(user)) return "manager";
  if (world.makers.get(object) === user) return "manager";
  const rows = { objectOwn: [] as string[], objectAll: "", kindOwn: [] as string[], kindAll: "" };
  for (const { on, for: whom, level } of world.rows) {
    if (on !== "all" && on !== object) continue;
    const place = on === "all" ? "kind" : "object";
    if (whom === "all") rows[`${place}All`] = level;
    else if ("user" in whom && whom.user === user) rows[`${place}Own`].push(level);
    else if ("role" in whom && (world.roles.get(user) ?? []).includes(whom.role)) rows[`${place}Own`].push(level);
  }
  const best = (levels: string[]) => levels.toSorted((a, b) => RANK.indexOf(b) - RANK.indexOf(a))[0]!;
  if (rows.objectOwn.length > 0) return best(rows.objectOwn);
  if (rows.objectAll === "none") return "none";
  if (rows.kindOwn.length > 0) return best(rows.kindAll === "" ? rows.kindOwn : [...rows.kindOwn, rows.kindAll]);
  if (rows.objectAll !== "") return rows.objectAll;
  if (rows.kindAll !== "") return rows.kindAll;
  return "editor";
}
