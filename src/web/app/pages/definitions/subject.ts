import type { GroupTypeDef } from "../../question/definition.ts";
import { plural } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { hrefOf } from "../../shell/entries.ts";

/** What names are of: events, or properties of something. */
export type Subject = { kind: "event" } | { kind: "property"; type: "event" | "person" | "group"; index?: number };

/** Below the address of the project. */
export const LISTS = { event: "data-management/events", property: "data-management/properties" } as const;

/** The address of a list of names. */
export function listPath(projectId: number, subject: Subject): string {
  if (subject.kind === "event") return hrefOf(projectId, LISTS.event);
  const query = new URLSearchParams();
  if (subject.type !== "event") query.set("type", subject.type);
  if (subject.index !== undefined) query.set("group_type_index", String(subject.index));
  const text = query.toString();
  return hrefOf(projectId, LISTS.property) + (text === "" ? "" : `?${text}`);
}

/** The address of one name. */
export const pagePath = (projectId: number, kind: Subject["kind"], id: string): string =>
  hrefOf(projectId, `${LISTS[kind]}/${id}`);

/** The properties that the address of a list names. */
export function readSubject({ type, group_type_index: index }: Readonly<Record<string, string>>): Subject {
  if (type === "group") return { kind: "property", type, index: Number(index ?? 0) };
  return { kind: "property", type: type === "person" ? "person" : "event" };
}

/** All lists of a project: "Events", "Event properties", "Company properties". */
export function subjectsOf(types: readonly GroupTypeDef[]): readonly { label: string; subject: Subject }[] {
  return [
    { label: "Events", subject: { kind: "event" } },
    { label: "Event properties", subject: { kind: "property", type: "event" } },
    { label: "Person properties", subject: { kind: "property", type: "person" } },
    ...types.map(({ index, name }) => ({
      label: `${firstUpper(cut(name))} properties`,
      subject: { kind: "property", type: "group", index } as const,
    })),
  ];
}

/** What one of them is of: "Property of companies". */
export function kindText(subject: Subject, types: readonly GroupTypeDef[]): string {
  if (subject.kind === "event") return "Event";
  if (subject.type !== "group") return subject.type === "event" ? "Property of events" : "Property of persons";
  const name = types.find(({ index }) => index === subject.index)?.name ?? "group";
  return `Property of ${plural(cut(name))}`;
}

export const sameSubject = (a: Subject, b: Subject): boolean => JSON.stringify(a) === JSON.stringify(b);

const firstUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
