import type { Listed, Page } from "../../store/mod.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { EMPTY_PAGE, pageOf } from "../http/shapes.ts";
import type { AccountCall, EnvironmentCall, HandledBy } from "../serve/route.ts";
import type { Shape } from "./shape.ts";

/** A list that is no more than read: nothing in it is made, found or changed by the API. */
interface PageRoute<T, C extends AccountCall>
  extends Pick<HandledBy<C>, "path" | "summary" | "scope" | "query" | "headers"> {
  /** How an item is shown; absent where the list is always empty. */
  item?: Shape<T, null>;
  /** The items of a page, and how many there are in all. Throws ApiError. */
  read(call: C, page: Page): Promise<Listed<T>>;
}

/** Answers `{count, next, previous, results}`. */
export function pageRoute<T extends object, C extends AccountCall = EnvironmentCall>({
  item,
  read,
  query,
  ...route
}: PageRoute<T, C>): HandledBy<C> {
  return {
    method: "GET",
    ...route,
    query: { ...query, ...PAGE_QUERY },
    responses: { 200: item === undefined ? EMPTY_PAGE : pageOf(item.schema) },
    async handle(call) {
      const page = readPage(call.query);
      const { count, items } = await read(call, page);
      return json(
        pageBody(call.url, page, count, item === undefined ? items : items.map((one) => item.show(one, null))),
      );
    },
  };
}

/** Of a list in which nothing ever is. */
export const NOTHING: Listed<never> = { count: 0, items: [] };
