import { describe, expect, test } from "bun:test";
import { groupPage, pageOf } from "../../src/web/app/kinds/people/actor.ts";
import { daysOf, timeOf } from "../../src/web/app/pages/parts/events/days.ts";
import { originOf, type Told } from "../../src/web/app/pages/parts/events/origins.ts";
import { propertyOrigin } from "../../src/web/app/pages/parts/events/propertyOrigin.ts";
import { mergeOf } from "../../src/web/app/pages/person/merges.ts";
import { listAddress, readShown } from "../../src/web/app/pages/persons/shown.ts";

const told = (event: string, values: Record<string, unknown>): Told => ({
  uuid: event,
  event,
  at: "2026-05-01T10:00:00.000Z",
  values,
});

describe("where the value of a property came from", () => {
  const sources = {
    set: [told("newer", { plan: "team" }), told("older", { plan: "free", name: "Ada", tags: [1, { a: null }] })],
    once: [told("first", { source: "ad", plan: "free" }), told("second", { source: "mail" })],
    newest: [
      told("view", { $browser: "Firefox", source: "direct" }),
      told("before", { $browser: "Chrome", $os: "Linux" }),
    ],
  };
  test.each<[string, unknown, string | null]>([
    ["plan", "team", "set newer"],
    // The last one said something else, so this value is of nobody that is known.
    ["plan", "free", "once first"],
    ["plan", "business", null],
    ["name", "Ada", "set older"],
    ["tags", [1, { a: null }], "set older"],
    ["$browser", "Firefox", "event view"],
    ["$os", "Linux", "event before"],
    ["source", "ad", "once first"],
    ["source", "mail", null],
    ["constructor", undefined, null],
    ["missing", 1, null],
  ])("%s = %p", (key, value, expected) => {
    const origin = originOf(key, value, sources);
    expect(origin === null ? null : `${origin.how} ${origin.from.event}`).toBe(expected);
  });
});

describe("where a property of an event came from", () => {
  const web = { $lib: "web", $lib_version: "1.2.3" };
  test.each<[string, string, Record<string, unknown>, string]>([
    ["plan", "paid", web, "Your code"],
    ["$set", "paid", web, "Your code"],
    ["$current_url", "paid", web, "SDK web 1.2.3"],
    ["utm_source", "paid", web, "SDK web 1.2.3"],
    // A server's code names it itself.
    ["utm_source", "paid", { $lib: "posthog-python" }, "Your code"],
    ["$os", "paid", { $lib: "posthog-python" }, "SDK posthog-python"],
    ["$os", "paid", {}, "Your code"],
    ["$os", "paid", { $lib: 7 }, "Your code"],
    ["$el_text", "$autocapture", web, "Autocapture of web 1.2.3"],
    ["$el_text", "paid", {}, "Your code"],
    ["$sent_at", "paid", web, "Weir"],
    ["$group_0", "paid", web, "Weir"],
    ["$group_type", "$groupidentify", web, "Your code"],
    ["$ip", "paid", web, "The event, else Weir by the request"],
  ])("%s of %s with %p", (key, event, properties, expected) => {
    expect(propertyOrigin(key, event, properties)).toBe(expected);
  });
});

describe("what an event merged", () => {
  const ids = new Set(["ada", "anon", "other"]);
  const of = (event: string, distinctId: string, anonymous: string | null, alias: string | null) =>
    mergeOf(["u", event, "2026-05-01T10:00:00Z", distinctId, anonymous, alias], ids).map(
      ({ source, target }) => `${source} → ${target}`,
    );
  test("follows docs/persons.md#merges", () => {
    expect(of("$identify", "ada", "anon", null)).toEqual(["anon → ada"]);
    expect(of("$create_alias", "anon", null, "ada")).toEqual(["anon → ada"]);
    expect(of("$merge_dangerously", "ada", null, "other")).toEqual(["other → ada"]);
  });
  test("is nothing where it was refused, or named one id alone", () => {
    expect(of("$identify", "ada", "somebody else", null)).toEqual([]);
    expect(of("$identify", "ada", null, null)).toEqual([]);
    expect(of("$identify", "ada", "ada", null)).toEqual([]);
    expect(of("$create_alias", "stranger", null, "ada")).toEqual([]);
  });
});

test("events stand under the days of the project's time zone", () => {
  const row = (uuid: string, at: string) => ({ uuid, event: "e", at, distinctId: "a", place: null, clicked: null });
  const events = [row("3", "2026-05-02T01:30:00Z"), row("2", "2026-05-01T23:30:00Z"), row("1", "2026-05-01T08:00:00Z")];
  const shown = (zone: string) =>
    daysOf(events, zone).map(({ title, events }) => [title, events.map(({ uuid }) => uuid)]);
  expect(shown("UTC")).toEqual([
    ["Sat 2 May 2026", ["3"]],
    ["Fri 1 May 2026", ["2", "1"]],
  ]);
  expect(shown("Europe/Berlin")).toEqual([
    ["Sat 2 May 2026", ["3", "2"]],
    ["Fri 1 May 2026", ["1"]],
  ]);
  expect(timeOf("2026-05-01T23:30:07Z", "Europe/Berlin")).toBe("01:30:07");
});

test("persons and groups have the addresses of PostHog, whatever their ids", () => {
  const person = (...ids: string[]) => pageOf(1, { id: "uuid", distinct_ids: ids });
  expect(person("ada/1?#%")).toBe("/project/1/person/ada%2F1%3F%23%25");
  expect(person("..")).toBe("/project/1/person?distinct_id=..");
  expect(person()).toBe("/project/1/persons/uuid");
  expect(pageOf(1, { id: "a b", group_key: "a b", group_type_index: 2 })).toBe("/project/1/groups/2/a%20b");
  expect(groupPage(1, 2, ".")).toBe("/project/1/group?type=2&key=.");
  expect(groupPage(1, 2, "...")).toBe("/project/1/groups/2/...");
});

test("a list is in its address", () => {
  const shown = { search: "a&b", filters: [{ type: "cohort", key: "id", value: 5 }] } as Parameters<
    typeof listAddress
  >[1];
  const address = listAddress("/project/1/persons", shown);
  expect(readShown(Object.fromEntries(new URLSearchParams(address.split("?")[1])))).toEqual(shown);
  expect(listAddress("/p", { search: "", filters: [] })).toBe("/p");
  expect(readShown({ filters: "{no json" })).toEqual({ search: "", filters: [] });
});
