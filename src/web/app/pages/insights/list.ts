import { type Answer, call } from "../../api/client.ts";

/** What of the list is shown. All of it stands in the address. */
export interface Shown {
  search: string;
  /** The kind of its nodes, as the API lists them: "TRENDS"; empty: all. */
  kind: string;
  isMine: boolean;
  isFavourite: boolean;
}

export type Row = Answer<"GET /api/environments/{project_id}/insights/">["results"][number];

/** What the API calls the lists of each kind. */
export const KIND_LISTS: Readonly<Record<string, string>> = {
  TrendsQuery: "TRENDS",
  FunnelsQuery: "FUNNELS",
  RetentionQuery: "RETENTION",
  PathsQuery: "PATHS",
  StickinessQuery: "STICKINESS",
  LifecycleQuery: "LIFECYCLE",
  HogQLQuery: "SQL",
};

/** What the address asks to be shown. */
export function readShown(query: Readonly<Record<string, string>>): Shown {
  const { search = "", kind = "", mine, favourites } = query;
  return { search, kind, isMine: mine === "1", isFavourite: favourites === "1" };
}

/** The address of the list, with what is shown of it. */
export function listAddress(projectId: number, { search, kind, isMine, isFavourite }: Shown): string {
  const query = new URLSearchParams();
  if (search !== "") query.set("search", search);
  if (kind !== "") query.set("kind", kind);
  if (isMine) query.set("mine", "1");
  if (isFavourite) query.set("favourites", "1");
  const text = query.toString();
  return `/project/${projectId}/insights${text === "" ? "" : `?${text}`}`;
}

/** How many insights are shown first. */
export const PAGE = 50;

/** The first `limit` insights of a project, the last changed first. */
export function loadList(projectId: number, { search, kind, isMine, isFavourite }: Shown, limit: number) {
  return call("GET /api/environments/{project_id}/insights/", {
    params: { project_id: String(projectId) },
    query: {
      basic: true,
      user_access_level: true,
      saved: true,
      order: "-last_modified_at",
      limit,
      search: search || undefined,
      insight: kind || undefined,
      user: isMine ? "true" : undefined,
      favorited: isFavourite ? "true" : undefined,
    },
  });
}
