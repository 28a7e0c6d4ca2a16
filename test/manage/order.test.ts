import { expect, test } from "bun:test";
import { readOrder } from "../../src/manage/http/order.ts";

const COLUMNS = { name: "name", created_at: "created_at_ms" };

test.each([
  [null, "-created_at_ms", { column: "created_at_ms", descending: true }],
  [null, "name", { column: "name", descending: false }],
  ["created_at", "name", { column: "created_at_ms", descending: false }],
  ["-created_at", "name", { column: "created_at_ms", descending: true }],
  ["-nothing", "-created_at_ms", { column: "created_at_ms", descending: true }],
  ["constructor", "name", { column: "name", descending: false }],
])("?order=%s of a list that is ordered by %s", (asked, usual, order) => {
  expect(readOrder(asked, COLUMNS, usual)).toEqual(order);
});
