import { expect, test } from "bun:test";
import { inTurns } from "../../src/intake/mergeTurns.ts";
import { EventFlag, type JsonObject, type Lane } from "../../src/types/mod.ts";
import { eventOf } from "../stream/events.ts";

const say = (distinctId: string, event = "page", properties: JsonObject = {}, flags = 0) =>
  eventOf({ distinctId, event, properties: JSON.stringify(properties), flags });
const identify = (anon: string, user: string) => say(user, "$identify", { $anon_distinct_id: anon });

function turnsOf(events: ReturnType<typeof say>[], lane: Lane = "live") {
  return inTurns({ lane, events }).map(({ events: own, merging, later }) => ({
    events: own.map((event) => events.indexOf(event as (typeof events)[number])),
    merging: merging.map(({ event }) => events.indexOf(event as (typeof events)[number])),
    later: later.map((event) => events.indexOf(event as (typeof events)[number])),
  }));
}

test("where nobody merges all events go at once, and history always does", () => {
  const events = [say("a"), say("b"), say("a")];
  expect(turnsOf(events)).toEqual([{ events: [0, 1, 2], merging: [], later: [] }]);
  expect(turnsOf([])).toEqual([{ events: [], merging: [], later: [] }]);
  const merged = [say("a"), identify("a", "u"), say("u")];
  expect(turnsOf(merged, "history")).toEqual([{ events: [0, 1, 2], merging: [1], later: [] }]);
});

test("what either id says before a merge goes before it, what they say later with it", () => {
  expect(turnsOf([say("a"), identify("a", "u"), say("u"), say("a")])).toEqual([
    { events: [0], merging: [], later: [] },
    { events: [1, 2, 3], merging: [1], later: [2, 3] },
  ]);
  expect(turnsOf([say("u"), identify("a", "u")])).toEqual([
    { events: [0], merging: [], later: [] },
    { events: [1], merging: [1], later: [] },
  ]);
});

test("ids that are not connected share turns, and nothing waits for personless events", () => {
  const personless = say("b", "page", {}, EventFlag.Personless);
  const events = [say("x"), identify("a", "u"), say("u"), say("y"), personless, identify("b", "v"), say("x")];
  expect(turnsOf(events)).toEqual([{ events: [0, 1, 2, 3, 4, 5, 6], merging: [1, 5], later: [2] }]);
});

test("merges of one person stand in turns of their own, also through the ids that it got", () => {
  const events = [identify("a", "u"), identify("b", "u"), say("a"), identify("u", "w")];
  expect(turnsOf(events)).toEqual([
    { events: [0], merging: [0], later: [] },
    { events: [1, 2], merging: [1], later: [2] },
    { events: [3], merging: [3], later: [] },
  ]);
});

test("turns are bounded, order within an id holds, and each event is in one of them", () => {
  const events = Array.from({ length: 100 }, (_, i) => [identify(`a${i}`, "u"), say("u")]).flat();
  const turns = turnsOf(events);
  expect(turns.length).toBe(32);
  expect(turns.flatMap(({ events }) => events)).toEqual(events.map((_, i) => i));
});
