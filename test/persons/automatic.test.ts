import { expect, test } from "bun:test";
import { automaticPersonKeys, initialKey } from "../../src/persons/mod.ts";

test("the names of first values", () => {
  expect(automaticPersonKeys.size).toBe(44);
  expect([...automaticPersonKeys].slice(0, 2).map(initialKey)).toEqual(["$initial_app_build", "$initial_app_name"]);
  expect([initialKey("_kx"), initialKey("utm_source"), initialKey("$os_name")]).toEqual([
    "$initial__kx",
    "$initial_utm_source",
    "$initial_os",
  ]);
});
