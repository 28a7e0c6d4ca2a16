import { expect, test } from "bun:test";
import { AUTOMATIC, initialKey } from "../../src/persons/mod.ts";

test("the names of first values", () => {
  expect(AUTOMATIC).toHaveLength(43);
  expect(AUTOMATIC.slice(0, 2).map((property) => property.initialKey)).toEqual([
    "$initial_app_build",
    "$initial_app_name",
  ]);
  expect([initialKey("_kx"), initialKey("utm_source"), initialKey("$os_name")]).toEqual([
    "$initial__kx",
    "$initial_utm_source",
    "$initial_os",
  ]);
});
