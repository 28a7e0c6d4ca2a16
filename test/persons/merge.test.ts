import { expect, test } from "bun:test";
import { isIllegalForPersons, isIllegalToMerge, mergeOf } from "../../src/persons/mod.ts";
import { EventFlag } from "../../src/types/mod.ts";

const merge = (event: string, properties: object | string, distinctId = "me", flags = 0) =>
  mergeOf({
    event,
    distinctId,
    flags,
    properties: typeof properties === "string" ? properties : JSON.stringify(properties),
  });

test("which ids are one person, and whose it is", () => {
  expect(merge("$identify", { $anon_distinct_id: "a" })).toEqual({ kind: "identify", source: "a", target: "me" });
  expect(merge("$create_alias", { alias: "a" })).toEqual({ kind: "alias", source: "me", target: "a" });
  expect(merge("$merge_dangerously", { alias: "a" })).toEqual({ kind: "dangerous", source: "a", target: "me" });
});

test("nothing to merge", () => {
  expect(merge("$identify", { alias: "a" })).toBeNull();
  expect(merge("$identify", { $anon_distinct_id: null })).toBeNull();
  for (const alias of [undefined, null, "", 0, false]) expect(merge("$create_alias", { alias })).toBeNull();
  expect(merge("$pageview", { alias: "a", $anon_distinct_id: "a" })).toBeNull();
  expect(merge("toString", { alias: "a" })).toBeNull();
  expect(merge("$identify", { $anon_distinct_id: "me" })).toBeNull();
  expect(merge("$create_alias", { alias: "guest" }, "guest")).toBeNull();
  expect(merge("$identify", { $anon_distinct_id: "a" }, "me", EventFlag.Personless)).toBeNull();
});

test("ids are written as distinct_ids are", () => {
  for (const [written, id] of [
    ["23.4", "23.4"],
    ["true", "true"],
    ["12345678901234567890", "12345678901234567890"],
    ['{"b":1, "a":[2]}', '{"a":[2],"b":1}'],
    [JSON.stringify("😀".repeat(222)), "😀".repeat(200)],
  ]) {
    expect(merge("$identify", `{"$anon_distinct_id":${written}}`)).toMatchObject({ source: id });
  }
});

test("ids that name nobody", () => {
  for (const id of ["Anonymous", '"undefined"', "'GUEST'", "[object Object]", "null", "0", "NaN", "'None'", " "]) {
    const expected = { kind: "identify", source: id, target: "me", illegal: true };
    expect(merge("$identify", { $anon_distinct_id: id })).toEqual(expected as never);
    expect(merge("$identify", { $anon_distinct_id: "a" }, id)?.illegal).toBe(true);
  }
  for (const id of ["nan", "NULL", "user", "backend", "guest2", "'guest\""]) expect(isIllegalToMerge(id)).toBe(false);
  for (const id of ["NULL", "'User'", "backend", "00000000-0000-0000-0000-000000000000"]) {
    expect(isIllegalForPersons(id)).toBe(true);
  }
  expect(isIllegalForPersons("users")).toBe(false);
});
