import type { AccessControl, OrganizationMember, Role } from "../../../api/schema.ts";

/** Of an insight or a dashboard. */
type ObjectLevel = "none" | "viewer" | "editor" | "manager";
/** No level is set. */
export const DEFAULT = "default";
export type Choice = ObjectLevel | typeof DEFAULT;

export const FOR_NAMED: readonly { value: Choice; label: string }[] = [
  { value: "none", label: "Cannot see it" },
  { value: "viewer", label: "Can look" },
  { value: "editor", label: "Can edit" },
  { value: "manager", label: "Can edit, and say who may" },
];
export const FOR_ALL: typeof FOR_NAMED = [{ value: DEFAULT, label: "As the project says" }, ...FOR_NAMED];

/** Whose level it is, as the API is told. Neither: all members. */
export interface Subject {
  organization_member?: string;
  role?: string;
}

/** A member or a role that is named. */
export interface Row {
  key: string;
  label: string;
  title: string;
  subject: Subject;
  level: Choice;
}

export interface People {
  members: readonly Pick<OrganizationMember, "id" | "level" | "user">[];
  roles: readonly Pick<Role, "id" | "name">[];
}

export type Control = Pick<AccessControl, "access_level" | "organization_member" | "role">;

export const isForAll = ({ organization_member, role }: Control): boolean =>
  organization_member === null && role === null;

/** What all members may do. */
export const choiceOf = (controls: readonly Control[]): Choice =>
  (controls.find(isForAll)?.access_level as Choice | undefined) ?? DEFAULT;

/** All that can be named: roles, and members. */
export function candidates({ members, roles }: People): Omit<Row, "level">[] {
  return [
    ...roles.map(({ id, name }) => ({
      key: `role ${id}`,
      label: `${name} (role)`,
      title: name,
      subject: { role: id },
    })),
    ...members.map(({ id, user }) => ({
      key: `member ${id}`,
      label: user.first_name ? `${user.first_name} (${user.email})` : user.email,
      title: user.email,
      subject: { organization_member: id },
    })),
  ];
}

export const keyOf = ({ organization_member, role }: Control): string =>
  role === null ? `member ${organization_member}` : `role ${role}`;

/** The members and roles that have a level. */
export function rowsOf(controls: readonly Control[], people: People): Row[] {
  const known = new Map(candidates(people).map((one) => [one.key, one]));
  return controls.flatMap((control) => {
    const one = isForAll(control) ? undefined : known.get(keyOf(control));
    return one === undefined ? [] : [{ ...one, level: control.access_level as Choice }];
  });
}

export const ADMIN = 8;

/** Those that have none. Admins can do everything anyway. */
export function unnamed(controls: readonly Control[], people: People): Omit<Row, "level">[] {
  const named = new Set(controls.map(keyOf));
  const members = people.members.filter(({ level }) => level < ADMIN);
  return candidates({ ...people, members }).filter(({ key }) => !named.has(key));
}
