/** A person or a group behind a number, as ActorsQuery answers it; only the id where it has no record. */
export interface Actor {
  id: string;
  type?: "person" | "group";
  properties?: Readonly<Record<string, unknown>>;
  distinct_ids?: readonly string[];
  created_at?: string | null;
  group_key?: string;
  group_type_index?: number;
}

/** The page of a person or a group. */
export function pageOf(projectId: number, actor: Actor): string {
  const { id, group_key: key, group_type_index: index, distinct_ids: ids = [] } = actor;
  if (key !== undefined) return groupPage(projectId, index ?? 0, key);
  // PostHog's address has a distinct id; what has none is known by its uuid alone.
  const distinctId = distinctIdOf(actor);
  return ids.length === 0 || distinctId === undefined
    ? `/project/${projectId}/persons/${id}`
    : personPage(projectId, distinctId);
}

/** Browsers take it for a step in a path, however it is written; so it stands in the query string. */
const isStep = (id: string): boolean => id === "." || id === "..";

/** The page of the person that has a distinct id. */
export const personPage = (projectId: number, distinctId: string): string =>
  `/project/${projectId}/person${isStep(distinctId) ? `?distinct_id=${distinctId}` : `/${encodeURIComponent(distinctId)}`}`;

/** The page of a group. */
export const groupPage = (projectId: number, index: number, key: string): string =>
  isStep(key)
    ? `/project/${projectId}/group?type=${index}&key=${key}`
    : `/project/${projectId}/groups/${index}/${encodeURIComponent(key)}`;

/** The page of an event; its time says where it is stored. */
export const eventPage = (projectId: number, uuid: string, at: string): string =>
  `/project/${projectId}/events/${uuid}/${encodeURIComponent(at)}`;

const NAMES = ["name", "Name", "username", "Username"];
const EMAILS = ["email", "Email", "$email"];

/** What an actor is called: name, email, or an id. */
export function nameOf(actor: Actor): string {
  return text(actor, NAMES) ?? text(actor, EMAILS) ?? actor.group_key ?? distinctIdOf(actor) ?? actor.id;
}

/** A second line: what tells it from others of that name. */
export function detailOf(actor: Actor): string {
  const name = nameOf(actor);
  return [text(actor, EMAILS), actor.group_key, distinctIdOf(actor)].find((one) => one && one !== name) ?? "";
}

/** One that was given by the project's own code rather than by a browser, where there is one. */
export function distinctIdOf({ distinct_ids: ids = [] }: Actor): string | undefined {
  return ids.find((id) => !isMadeUp(id)) ?? ids[0];
}

/** Browsers make such ids for people that are not known. */
const isMadeUp = (id: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);

function text({ properties = {} }: Actor, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = properties[key];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}
