import { expect, test } from "bun:test";
import { automaticPersonKeys, initialKey, personSets } from "../../src/properties/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";

const setsOf = (properties: JsonObject, event = "e") => personSets(event, Date.UTC(2026, 4, 1), properties);

test("what events say of persons, where the client says nothing", () => {
  const properties = { $browser: "Firefox", utm_source: "news", other: 1, $set: { $browser: "own", x: 1 } };
  expect(setsOf(properties)).toEqual({
    set: { $browser: "own", x: 1, utm_source: "news" },
    setOnce: { $initial_browser: "Firefox", $initial_utm_source: "news" },
  });
  expect(properties.$set).toEqual({ $browser: "own", x: 1 });
  expect(setsOf({ $set: "x", $set_once: null })).toEqual({ set: {}, setOnce: {} });
  expect(setsOf({ $browser: 1, $set: { a: 1 } }, "$snapshot")).toEqual({ set: { a: 1 }, setOnce: {} });
});

test("$os_name is another name of $os", () => {
  expect(setsOf({ $os_name: "Linux", $set_once: { $initial_os: 1 } })).toEqual({
    set: { $os: "Linux" },
    setOnce: { $initial_os: 1 },
  });
  const both = { set: { $os: "A" }, setOnce: { $initial_os: "A" } };
  expect(setsOf({ $os_name: "B", $os: "A" })).toEqual(both);
  expect(setsOf({ $os: "A", $os_name: "B" })).toEqual(both);
});

test("when a survey was last seen", () => {
  const $survey_last_seen_date = "2026-05-01T00:00:00.000Z";
  expect(setsOf({}, "survey shown").set).toEqual({ $survey_last_seen_date });
  expect(setsOf({ $set: { $survey_last_seen_date: 1 } }, "survey shown").set).toEqual({ $survey_last_seen_date: 1 });
});

test("the names of first values", () => {
  expect(automaticPersonKeys.size).toBe(44);
  expect([...automaticPersonKeys].slice(0, 2).map(initialKey)).toEqual(["$initial_app_build", "$initial_app_name"]);
  expect([initialKey("_kx"), initialKey("utm_source"), initialKey("$os_name")]).toEqual([
    "$initial__kx",
    "$initial_utm_source",
    "$initial_os",
  ]);
});
