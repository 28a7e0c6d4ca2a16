import { expect, test } from "bun:test";
import { oldPages } from "../../scripts/lib/docs.ts";

test("the pages that scripts/docs writes are as the source would have them", () => {
  expect(oldPages()).toEqual([]);
});
