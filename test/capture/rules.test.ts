import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { elementsChain } from "../../src/capture/event/elements.ts";
import { EventFlag, type Json, type JsonObject } from "../../src/types/mod.ts";
import { accept, NOW_MS, normalise, refuse, UUID, type Warned } from "./support.ts";

const SECOND_MS = 1_000;
const at = (time: string) => Date.parse(`2026-05-03T${time}Z`);
const propertiesOf = (event: object, given = {}) => JSON.parse(accept(event, given).properties) as JsonObject;

describe("the client's clock", () => {
  const timeOf = (event: object, sentAtMs: number | null = null) => {
    const { timestampMs, flags } = accept({ uuid: UUID, ...event }, { sentAtMs });
    return [timestampMs, (flags & EventFlag.ServerTime) !== 0];
  };
  test("is corrected by when the request was sent", () => {
    const timestamp = "2026-05-03T11:00:00Z";
    expect(timeOf({ timestamp }, at("12:00:10"))).toEqual([at("10:59:50"), true]);
    expect(timeOf({ timestamp: "2026-05-03T11:01:00Z" }, at("11:59:50"))).toEqual([at("11:01:10"), true]);
    expect(timeOf({ timestamp: "2026-05-03T11:59:55Z" }, at("12:00:05"))).toEqual([at("11:59:50"), true]);
    expect(timeOf({ timestamp, properties: { $ignore_sent_at: true } }, at("13:00:00"))).toEqual([
      at("11:00:00"),
      false,
    ]);
    expect(timeOf({ timestamp, properties: { $ignore_sent_at: "true" } }, at("13:00:00"))).toEqual([
      at("10:00:00"),
      true,
    ]);
    expect(timeOf({}, at("13:00:00"))).toEqual([NOW_MS, true]);
  });
  test("gives way to an offset", () => {
    const timestamp = "2020-01-01T00:00:00Z";
    expect(timeOf({ timestamp, offset: 5_000 }, at("13:00:00"))).toEqual([NOW_MS - 5 * SECOND_MS, true]);
    expect(timeOf({ timestamp, offset: -5_000 })).toEqual([NOW_MS + 5 * SECOND_MS, true]);
    for (const bad of [1.5, "5000", null])
      expect(timeOf({ timestamp, offset: bad })).toEqual([Date.parse(timestamp), false]);
  });
  test("is bounded after the correction", () => {
    expect(timeOf({ timestamp: "2026-05-03T11:00:00Z" }, at("12:00:00") - 26 * 3_600_000)).toEqual([NOW_MS, true]);
    expect(timeOf({ timestamp: "9999-12-31T23:00:00-05:00" })).toEqual([0, false]);
  });
  test("what is no time is warned of", () => {
    const warnings: Warned[] = [];
    accept({ timestamp: "never" }, { warnings });
    accept({ timestamp: 1_700_000_000 }, { warnings });
    accept({ timestamp: "" }, { warnings });
    accept({ timestamp: null }, { warnings });
    accept({ timestamp: "never", offset: 5 }, { warnings });
    expect(warnings.map(({ type, details }) => [type, details.timestamp])).toEqual([
      ["ignored_invalid_timestamp", '"never"'],
      ["ignored_invalid_timestamp", "1700000000"],
    ]);
  });
});

describe("properties of the front's own", () => {
  test("$ip", () => {
    const ip = "203.0.113.7";
    const ipOf = (properties: object, given = {}) => propertiesOf({ properties }, { ip, ...given }).$ip;
    expect(ipOf({})).toBe(ip);
    for (const empty of [null, ""]) expect(ipOf({ a: 1, $ip: empty, b: 2 })).toBe(ip);
    expect(ipOf({ $ip: "198.51.100.9" })).toBe("198.51.100.9");
    expect(ipOf({ capture_internal: true })).toBe("127.0.0.1");
    expect(ipOf({}, { ip: null })).toBeUndefined();
    for (const given of [{}, { $ip: "198.51.100.9" }]) expect(ipOf(given, { anonymizeIps: true })).toBeUndefined();
  });
  test("$sent_at", () => {
    const sentAtText = "2026-05-03T12:00:10.000Z";
    expect(accept({ properties: { $sent_at: 1, a: 2 } }, { sentAtText }).properties).toBe(
      `{"a":2,"$sent_at":"${sentAtText}"}`,
    );
  });
  test("$session_id is in lower case when it is a uuid", () => {
    expect(propertiesOf({ properties: { $session_id: UUID.toUpperCase() } })).toEqual({ $session_id: UUID });
    for (const other of ["ABC", `${UUID}X`, 5]) {
      expect(propertiesOf({ properties: { $session_id: other } })).toEqual({ $session_id: other });
    }
  });
  test("only what is touched is written anew", () => {
    const properties = '{ "a" : 1.10 , "$ip" : "" , "b":[1e2], "$ip":null , "c" : {"$ip":1} , "$sent_at":0 }';
    const event = `{"event":"e","distinct_id":"d","properties":${properties}}`;
    expect(normalise(event, { ip: "::1", sentAtText: "now" })).toMatchObject({
      properties: '{ "a" : 1.1  ,  "b":[1e2],  "c" : {"$ip":1} ,"$sent_at":"now","$ip":"::1"}',
    });
  });
});

describe("elements", () => {
  const elements: JsonObject[] = [
    { tag_name: "button", $el_text: 'Say "hi"', attr__class: "big  red", attr__id: "b", nth_child: 2, nth_of_type: 1 },
    { tag_name: "a", attr__href: "/x;y", "attr__data-x": "1" },
    { nth_child: 3 },
  ];
  const chain =
    'button.big.red:attr__class="big  red"attr__id="b"attr_id="b"nth-child="2"nth-of-type="1"text="Say \\"hi\\"";' +
    'a:attr__data-x="1"attr__href="/x;y"href="/x;y"nth-child="0"nth-of-type="0";:nth-child="3"nth-of-type="0"';
  test("become a chain and leave the properties", () => {
    expect(elementsChain(elements)).toBe(chain);
    expect(accept({ properties: { $elements: elements, a: 1 } })).toMatchObject({
      properties: '{"a":1}',
      elementsChain: chain,
    });
    expect(accept({ properties: { a: 1, $elements_chain: "a:x", $elements: elements } })).toMatchObject({
      properties: '{"a":1}',
      elementsChain: "a:x",
    });
    expect(accept({ properties: { $elements: [] } })).toMatchObject({ properties: "{}", elementsChain: "" });
    expect(accept({ properties: { $elements: "x" } }).properties).toBe('{"$elements":"x"}');
  });
  test("a chain is kept as it was sent, whatever it holds", () => {
    const text = fc.string({ unit: "binary" }).map((any) => any.replaceAll("\0", ""));
    fc.assert(
      fc.property(text, ($elements_chain) => {
        expect(accept({ properties: { $elements_chain } }).elementsChain).toBe($elements_chain);
        const $elements = [{ tag_name: "a", attr__x: $elements_chain }];
        expect(accept({ properties: { $elements } }).elementsChain).toBe(elementsChain($elements));
      }),
    );
    expect(accept({ properties: { $elements_chain: "a\n\n\t\u001fb\0\ud800" } }).elementsChain).toBe(
      "a\n\n\t\u001fb\ufffd\ufffd",
    );
  });
});

describe("persons", () => {
  test("$set and $set_once beside the properties win over those in them; nothing else is written", () => {
    const properties = { $browser: "Firefox", utm_source: "news", $set: { a: 1, b: 1 } };
    expect(propertiesOf({ $set: { b: 2 }, $set_once: { c: 3 }, properties })).toEqual({
      ...properties,
      $set: { a: 1, b: 2 },
      $set_once: { c: 3 },
    });
    expect(propertiesOf({ $set: "x", $set_once: null, properties })).toEqual(properties);
    expect(propertiesOf({ $set: { a: 1 }, properties: { $set: "x" } })).toEqual({ $set: { a: 1 } });
    expect(accept({ event: "survey shown", properties: { $survey_id: "s" } }).properties).toBe('{"$survey_id":"s"}');
  });
  test("numbers in them keep their digits, of equal keys the last counts", () => {
    const event = '{"event":"e","distinct_id":"d","$set":{"a":1.10,"a":1.20},"properties":{"$set":{"b":1e2}}}';
    expect(normalise(event)).toMatchObject({ properties: '{"$set":{"b":1e2,"a":1.2}}' });
  });
  test("an event for none keeps nothing of them", () => {
    const properties = {
      $process_person_profile: false,
      $browser: "x",
      $set: {},
      $set_once: {},
      $unset: [],
      $group_0: "g",
      $groups: { a: 1 },
    };
    const accepted = accept({ uuid: UUID, timestamp: "2026-05-01", $set: { a: 1 }, properties });
    expect(accepted.flags).toBe(EventFlag.Personless);
    expect(JSON.parse(accepted.properties)).toEqual({
      $process_person_profile: false,
      $browser: "x",
      $groups: { a: 1 },
    });
    for (const event of ["$identify", "$create_alias", "$merge_dangerously", "$groupidentify"]) {
      const cause = refuse({ event, properties: { $process_person_profile: false } });
      expect(cause).toBe("invalid_event_when_process_person_profile_is_false");
    }
  });
  test("a cookieless event has nobody it could belong to", () => {
    const warnings: Warned[] = [];
    const properties = { $cookieless_mode: true, $process_person_profile: true, $set: { a: 1 } };
    const accepted = accept({ uuid: UUID, timestamp: "2026-05-01", properties }, { warnings });
    expect(accepted.flags).toBe(EventFlag.Personless);
    expect(JSON.parse(accepted.properties)).toEqual({ $cookieless_mode: true, $process_person_profile: false });
    expect(warnings.map(({ type }) => type)).toEqual(["cookieless_mode_not_supported"]);
    for (const off of [false, null]) {
      expect(accept({ uuid: UUID, timestamp: "2026-05-01", properties: { $cookieless_mode: off } }).flags).toBe(0);
    }
    for (const odd of ["true", 1, {}]) {
      expect(refuse({ properties: { $cookieless_mode: odd } })).toBe("invalid_cookieless_mode");
    }
  });
  test("a full event needs no flag and keeps its groups", () => {
    const warnings: Warned[] = [];
    const full = (value: Json) =>
      accept({ properties: { $process_person_profile: value, $group_4: "g" } }, { warnings });
    expect(full(true)).toMatchObject({ properties: '{"$group_4":"g"}' });
    expect(warnings).toEqual([]);
    for (const odd of ["false", 0, null]) expect(full(odd).properties).toBe('{"$group_4":"g"}');
    expect(warnings.map(({ type, details }) => [type, details.$process_person_profile])).toEqual([
      ["invalid_process_person_profile", '"false"'],
      ["invalid_process_person_profile", "0"],
      ["invalid_process_person_profile", "null"],
    ]);
  });
});

test("what is set aside is warned of, but for what nobody misses", () => {
  const warnings: Warned[] = [];
  expect(refuse({ uuid: "x" }, { warnings })).toBe("invalid_uuid");
  expect(refuse({ event: "$performance_event" }, { warnings })).toBe("performance_event");
  expect(warnings).toEqual([{ type: "invalid_uuid", details: { event: "e", distinct_id: "d", uuid: "x" } }]);
});
