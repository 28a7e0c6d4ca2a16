import {
  addTextTile,
  type Dashboard,
  findInsights,
  removeTiles,
  type Tile,
  type TileText,
  tilesOfDashboard,
  updateTile,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { mayDo } from "../serve/access.ts";
import type { Caller } from "../serve/route.ts";
import { TEXT_FIELDS, TEXTS_MAX, TILE_FIELDS, TILE_ID, TILE_TEXT } from "./fields.ts";

/** All tiles that a caller may change, deleted ones too: those of insights that are closed to it are not there. */
export async function tilesSeen(tx: Tx, caller: Caller, { id, teamId }: Dashboard): Promise<Tile[]> {
  const tiles = await tilesOfDashboard(tx, id, { withDeleted: true });
  const insights = await findInsights(
    tx,
    teamId,
    tiles.flatMap(({ insightId }) => insightId ?? []),
  );
  const closed = new Set(insights.filter((one) => !mayDo(caller, "insight", one, "viewer")).map((one) => one.id));
  return tiles.filter(({ insightId }) => insightId === null || !closed.has(insightId));
}

interface Change {
  dashboard: Dashboard;
  /** With the deleted ones. */
  tiles: readonly Tile[];
  author: { userId: number; nowMs: number };
}

/** Changes the tile that an entry of `tiles` names; one without an id and with a text is a new one. Throws ApiError 400. */
export async function changeTile(tx: Tx, change: Change, wish: JsonObject, index: number): Promise<void> {
  const { dashboard, tiles, author } = change;
  const body = bodyOf(wish);
  const values = readFields(TILE_FIELDS, wish);
  if (wish.id == null && body !== null) {
    const layouts = values.layouts ?? {};
    const text = written({ body, createdBy: author.userId }, author);
    return addTextTile(tx, { dashboardId: dashboard.id, text, layouts, color: values.color ?? null });
  }
  const id = required(`tiles__${index}__id`, readFields(TILE_ID, wish).id);
  const tile = tiles.find((candidate) => candidate.id === id);
  if (tile === undefined) {
    throw invalidField(`tiles__${index}__id`, "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
  }
  if (body !== null && tile.text === null) {
    throw invalidField(`tiles__${index}__text`, "invalid_input", "This tile shows an insight.");
  }
  const isRewritten = tile.text !== null && body !== null && body !== tile.text.body;
  // One that never was deleted stays so.
  const deleted = values.deleted || (tile.deleted === null ? null : (values.deleted ?? tile.deleted));
  await updateTile(tx, {
    id,
    deleted,
    color: values.color ?? tile.color,
    layouts: values.layouts ?? tile.layouts,
    text: isRewritten ? written({ body, createdBy: tile.text!.createdBy }, author) : tile.text,
  });
}

/** The text of an entry; null where it has none. */
function bodyOf(wish: JsonObject): string | null {
  const { text } = readFields(TILE_TEXT, wish);
  return text == null ? null : (readFields(TEXT_FIELDS, text).body ?? null);
}

const written = (text: Pick<TileText, "body" | "createdBy">, { userId, nowMs }: Change["author"]): TileText => ({
  ...text,
  lastModifiedBy: userId,
  lastModifiedAtMs: nowMs,
});

/**
 * Throws ApiError 400 where a dashboard has more texts than it can have. Of texts that were deleted it keeps, to be brought back, as
 * many as it has room for; the oldest ones go for good.
 */
export async function checkTexts(tx: Tx, dashboardId: number): Promise<void> {
  const texts = (await tilesOfDashboard(tx, dashboardId, { withDeleted: true })).filter(({ text }) => text !== null);
  const deleted = texts.filter((tile) => tile.deleted);
  const liveCount = texts.length - deleted.length;
  if (liveCount <= TEXTS_MAX) {
    const surplus = Math.max(0, texts.length - TEXTS_MAX);
    return removeTiles(
      tx,
      deleted.slice(0, surplus).map(({ id }) => id),
    );
  }
  throw invalidField("tiles", "max_length", `A dashboard can have at most ${TEXTS_MAX} texts.`);
}
