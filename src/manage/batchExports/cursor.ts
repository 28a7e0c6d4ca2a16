import { type TSchema, Type } from "@sinclair/typebox";
import { nullable, object, URL_TEXT } from "../../openapi/mod.ts";
import type { Page } from "../../store/mod.ts";
import { linkTo } from "../http/link.ts";
import { type Query, textParam } from "../http/query.ts";

/** What pages by a cursor read. */
export const CURSOR_QUERY = { cursor: textParam("Where the page begins: from `next` or `previous` of another one.") };

/** A page of a list that is not counted. */
export const cursorPageOf = (item: TSchema): TSchema =>
  object(`CursorPageOf${item.$id}`, {
    next: nullable(URL_TEXT),
    previous: nullable(URL_TEXT),
    results: Type.Array(item),
  });

/** A cursor that makes no sense is the beginning. */
export function readCursor(query: Query, limit: number): Page {
  const text = Buffer.from(query.get("cursor") ?? "", "base64url").toString();
  const offset = /^o=(\d{1,9})$/.exec(text)?.[1];
  return { limit, offset: Number(offset ?? 0) };
}

export function cursorBody(url: URL, { limit, offset }: Page, count: number, results: unknown[]) {
  const link = (to: number) => linkTo(url, { cursor: Buffer.from(`o=${to}`).toString("base64url") });
  return {
    next: offset + limit < count ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
    results,
  };
}
