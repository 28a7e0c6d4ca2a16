import { ADMIN, type Control, candidates, isForAll, keyOf, type People, type Subject } from "../parts/access/rows.ts";

/** What levels are for: the project, or all of a kind in it. */
export const THINGS = ["project", "insight", "dashboard", "cohort", "action"] as const;
export type Thing = (typeof THINGS)[number];

export const THING_NAMES: Record<Thing, string> = {
  project: "Project",
  insight: "Insights",
  dashboard: "Dashboards",
  cohort: "Cohorts",
  action: "Actions",
};

/** No level of its own. */
export const UNSET = "";

interface Choice {
  value: string;
  label: string;
}

const OF_KIND: readonly Choice[] = [
  { value: "none", label: "Cannot see" },
  { value: "viewer", label: "Can look" },
  { value: "editor", label: "Can edit" },
  { value: "manager", label: "Can say who may" },
];
const OF_PROJECT: readonly Choice[] = [
  { value: "none", label: "Closed" },
  { value: "member", label: "Open" },
  { value: "admin", label: "Admin" },
];

/** What can be chosen in a cell. Of all members the level that counts where none is set stands in its place. */
export function choicesOf(thing: Thing, isForAllMembers: boolean): readonly Choice[] {
  const levels = thing === "project" ? OF_PROJECT : OF_KIND;
  const [byDefault] = levels.filter(({ value }) => value === (thing === "project" ? "member" : "editor"));
  const unset = isForAllMembers ? `${byDefault!.label} (default)` : "As all members";
  return [{ value: UNSET, label: unset }, ...levels];
}

/** All members, a role or a member, with its level for each thing. */
export interface GridRow {
  key: string;
  label: string;
  title: string;
  /** Empty: all members. */
  subject: Subject;
  levels: Record<Thing, string>;
}

export type Controls = readonly (Control & { resource: string })[];

const FOR_ALL = { key: "all", label: "All members", title: "All members", subject: {} };

/** All members, then those that have a level of their own, and those that were added. Members that are gone are left out. */
export function gridRows(controls: Controls, people: People, added: ReadonlySet<string>): GridRow[] {
  const byKey = Map.groupBy(controls, (control) => (isForAll(control) ? FOR_ALL.key : keyOf(control)));
  const named = candidates(people).filter(({ key }) => byKey.has(key) || added.has(key));
  return [FOR_ALL, ...named].map((one) => {
    const own = byKey.get(one.key) ?? [];
    const levels = THINGS.map((thing) => [
      thing,
      own.find(({ resource }) => resource === thing)?.access_level ?? UNSET,
    ]);
    return { ...one, levels: Object.fromEntries(levels) as Record<Thing, string> };
  });
}

/** Those that can be added: levels do not bind admins. */
export function addable(rows: readonly GridRow[], { members, roles }: People): Choice[] {
  const present = new Set(rows.map(({ key }) => key));
  return candidates({ roles, members: members.filter(({ level }) => level < ADMIN) })
    .filter(({ key }) => !present.has(key))
    .map(({ key, label }) => ({ value: key, label }));
}
