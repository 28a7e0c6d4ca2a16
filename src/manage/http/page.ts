import type { Page } from "../../store/mod.ts";
import { linkTo } from "./link.ts";
import { numberParam, type Query } from "./query.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** What `readPage` reads. */
export const PAGE_QUERY = {
  limit: numberParam(`How many at most; ${MAX_LIMIT} and less.`, DEFAULT_LIMIT),
  offset: numberParam("How many of the list are left out before the page.", 0),
};

/** From `limit` and `offset`; a value that makes no sense counts as absent. */
export function readPage(query: Query): Page {
  const limit = positiveParam(query.get("limit"));
  return {
    limit: limit === 0 ? DEFAULT_LIMIT : Math.min(limit, MAX_LIMIT),
    offset: positiveParam(query.get("offset")),
  };
}

/** A number of at least 0; a value that makes no sense is 0. */
export function positiveParam(text: string | null): number {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : 0;
}

/** `{count, next, previous, results}` with absolute links. */
export function pageBody(url: URL, page: Page, count: number, results: unknown[]) {
  return { count, ...hasMoreBody(url, page, page.offset + page.limit < count, results) };
}

/** The same where the whole list is not counted. */
export function hasMoreBody(url: URL, page: Page, hasMore: boolean, results: unknown[]) {
  const link = (offset: number) => linkTo(url, { limit: page.limit, offset: offset === 0 ? null : offset });
  return {
    next: hasMore ? link(page.offset + page.limit) : null,
    previous: page.offset > 0 ? link(Math.max(0, page.offset - page.limit)) : null,
    results,
  };
}
