import { randomBytes } from "node:crypto";
import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";

/** What a link can open, and the table of its records. */
const TABLES = { insight: "insights", dashboard: "dashboards" } as const;
export type SharedKind = keyof typeof TABLES;

/** What a link opens. */
export interface SharedItem {
  kind: SharedKind;
  itemId: number;
  teamId: number;
}

/** The link to an insight or a dashboard. Its token opens that while it is enabled. */
export interface SharedLink extends SharedItem {
  enabled: boolean;
  /** In the clear: callers that may share the item see it. */
  accessToken: string;
  /** Its viewers may ask for other dates. */
  viewerDates: boolean;
  /** Its viewers see the annotations on its charts. */
  annotations: boolean;
  /** When it was first enabled. */
  createdAtMs: number | null;
}

interface LinkRow {
  kind: SharedKind;
  item_id: Stored;
  team_id: Stored;
  enabled: Stored;
  access_token: string;
  viewer_dates: Stored;
  annotations: Stored;
  created_at_ms: Stored | null;
}

const fromRow = (row: LinkRow): SharedLink => ({
  kind: row.kind,
  itemId: Number(row.item_id),
  teamId: Number(row.team_id),
  enabled: Number(row.enabled) === 1,
  accessToken: row.access_token,
  viewerDates: Number(row.viewer_dates) === 1,
  annotations: Number(row.annotations) === 1,
  createdAtMs: numberOrNull(row.created_at_ms),
});

const TOKEN_BYTES = 24;

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

type Key = Pick<SharedItem, "kind" | "itemId">;

const isLink = (tx: Tx, { kind, itemId }: Key) => tx`kind = ${kind} and item_id = ${itemId}`;

/** The link to an item; null where none was ever asked for. */
export async function findLink(tx: Tx, item: Key): Promise<SharedLink | null> {
  const rows: LinkRow[] = await tx`select * from shared_links where ${isLink(tx, item)}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** That of an item, made when there is none: off, with a token that stays. */
export async function ensureLink(tx: Tx, { kind, itemId, teamId }: SharedItem): Promise<SharedLink> {
  const row = {
    kind,
    item_id: itemId,
    team_id: teamId,
    enabled: 0,
    access_token: newToken(),
    viewer_dates: 0,
    annotations: 1,
    created_at_ms: null,
  };
  await tx`insert into shared_links ${tx(row)} on conflict (kind, item_id) do nothing`;
  return (await findLink(tx, { kind, itemId }))!;
}

interface LinkChange extends Pick<SharedLink, "enabled" | "viewerDates" | "annotations"> {
  nowMs: number;
}

/** Switches a link on or off, and says what its viewers may. */
export async function updateLink(
  tx: Tx,
  item: Key,
  { enabled, viewerDates, annotations, nowMs }: LinkChange,
): Promise<void> {
  await tx`update shared_links set enabled = ${Number(enabled)}, viewer_dates = ${Number(viewerDates)},
    annotations = ${Number(annotations)},
    created_at_ms = case when ${Number(enabled)} = 1 then coalesce(created_at_ms, ${nowMs}) else created_at_ms end
    where ${isLink(tx, item)}`;
}

/** Gives it a new token; the old one opens nothing any more. */
export async function refreshLinkToken(tx: Tx, item: Key): Promise<void> {
  await tx`update shared_links set access_token = ${newToken()} where ${isLink(tx, item)}`;
}

/** What a token opens: null for one that is unknown or switched off, and for an item that was deleted. */
export async function findSharedLink(tx: Tx, accessToken: string): Promise<SharedLink | null> {
  const rows: LinkRow[] = await tx`select * from shared_links where access_token = ${accessToken} and enabled = 1`;
  if (rows[0] === undefined) return null;
  const link = fromRow(rows[0]);
  const items: unknown[] = await tx`
    select 1 from ${tx(TABLES[link.kind])} where id = ${link.itemId} and team_id = ${link.teamId} and deleted = 0`;
  return items.length === 0 ? null : link;
}

/** Those of the items that a link opens now. */
export async function sharedAmong(tx: Tx, kind: SharedKind, itemIds: readonly number[]): Promise<Set<number>> {
  if (itemIds.length === 0) return new Set();
  const rows: { item_id: Stored }[] = await tx`
    select item_id from shared_links where kind = ${kind} and enabled = 1 and item_id in ${tx([...itemIds])}`;
  return new Set(rows.map((row) => Number(row.item_id)));
}
