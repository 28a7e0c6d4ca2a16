import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EventFlag, type Json, type JsonObject } from "../../src/types/mod.ts";
import { accept, NOW_MS, normalise, refuse, UUID } from "./support.ts";

const HOUR_MS = 3_600_000;

test("a plain event", () => {
  const uuid = "0190E0C5-1234-4ABC-8DEF-0123456789AB";
  const event = { event: "e", distinct_id: "d", uuid, timestamp: "2026-05-01T00:00:00Z", properties: { a: 1 } };
  expect(normalise(JSON.stringify(event))).toEqual({
    teamId: 7,
    uuid: uuid.toLowerCase(),
    event: "e",
    distinctId: "d",
    timestampMs: Date.UTC(2026, 4, 1),
    properties: '{"a":1}',
    elementsChain: "",
    flags: 0,
    mergedAtMs: 0,
    mergeSequence: 0,
  });
});

test("what the server made up is marked", () => {
  expect(accept({ timestamp: "2026-05-01" }).flags).toBe(EventFlag.ServerUuid);
  expect(accept({ uuid: UUID }).flags).toBe(EventFlag.ServerTime);
  expect(accept({ uuid: "" })).toMatchObject({ uuid: UUID, flags: EventFlag.ServerUuid | EventFlag.ServerTime });
  expect(accept({ uuid: null, timestamp: null }).flags).toBe(EventFlag.ServerUuid | EventFlag.ServerTime);
});

describe("time", () => {
  const timeOf = (timestamp: Json) => {
    const { timestampMs, flags } = accept({ uuid: UUID, timestamp });
    return { timestampMs, isServerTime: flags === EventFlag.ServerTime };
  };
  test("unreadable is now", () => {
    for (const bad of ["not a date", "", 1_700_000_000, {}, true]) {
      expect(timeOf(bad)).toEqual({ timestampMs: NOW_MS, isServerTime: true });
    }
  });
  test("up to 23 hours ahead is believed", () => {
    const edge = NOW_MS + 23 * HOUR_MS;
    expect(timeOf(new Date(edge).toISOString())).toEqual({ timestampMs: edge, isServerTime: false });
    expect(timeOf(new Date(edge + 1).toISOString())).toEqual({ timestampMs: NOW_MS, isServerTime: true });
  });
  test("outside of the years 0 to 9999 is 1970", () => {
    expect(timeOf("0000-01-01T00:00:00+03:00").timestampMs).toBe(0);
    expect(timeOf("0000-01-01T00:00:00Z").timestampMs).toBe(Date.parse("0000-01-01T00:00:00Z"));
  });
});

describe("name", () => {
  test("must be a string that is not empty", () => {
    for (const bad of ["", null, undefined, 5, {}, ["e"]]) expect(refuse({ event: bad })).toBe("missing_event_name");
  });
  test("is cleaned and cut to 200 units", () => {
    expect(accept({ event: "a\0b\ud800" }).event).toBe("a\ufffdb\ufffd");
    expect(accept({ event: "x".repeat(300) }).event).toBe("x".repeat(200));
    expect(accept({ event: `${"x".repeat(199)}😀` }).event).toBe("x".repeat(199));
  });
});

describe("distinct_id", () => {
  const idOf = (event: object) => accept(event).distinctId;
  test("missing, null, empty and blank", () => {
    for (const bad of [undefined, null, "", " \t\n\u00a0"]) {
      expect(refuse({ distinct_id: bad })).toBe("missing_distinct_id");
      expect(refuse({ distinct_id: undefined, properties: { distinct_id: bad } })).toBe("missing_distinct_id");
    }
    expect(refuse({ distinct_id: "", properties: { distinct_id: "p" } })).toBe("missing_distinct_id");
    expect(refuse({ distinct_id: `${" ".repeat(200)}x` })).toBe("missing_distinct_id");
  });
  test("where it is looked for", () => {
    expect(idOf({ properties: { distinct_id: "p" } })).toBe("d");
    expect(idOf({ distinct_id: null, $distinct_id: "$", properties: { distinct_id: "p" } })).toBe("$");
    expect(idOf({ distinct_id: null, properties: { distinct_id: "p" } })).toBe("p");
  });
  test("other values become JSON", () => {
    for (const [value, text] of [
      [23, "23"],
      [23.4, "23.4"],
      [true, "true"],
      [false, "false"],
      [0, "0"],
      [["a", "b"], '["a","b"]'],
      [{ string: "a", number: { b: [{ d: 1, c: 2 }], a: 3 } }, '{"number":{"a":3,"b":[{"c":2,"d":1}]},"string":"a"}'],
    ] as const) {
      expect(idOf({ distinct_id: value })).toBe(text);
    }
  });
  test("large numbers keep their digits", () => {
    const big = "12345678901234567890";
    for (const event of [
      `{"event":"e","distinct_id":${big}}`,
      `{"event":"e","$distinct_id": ${big} }`,
      `{"event":"e","properties":{"distinct_id":${big}}}`,
    ]) {
      expect(normalise(event)).toMatchObject({ distinctId: big });
    }
  });
  test("is cleaned, cut to 200 characters, not trimmed", () => {
    expect(idOf({ distinct_id: "a\0b\udc00" })).toBe("a\ufffdb\ufffd");
    expect(idOf({ distinct_id: "😀".repeat(222) })).toBe("😀".repeat(200));
    expect(idOf({ distinct_id: "€".repeat(150) })).toBe("€".repeat(150));
    expect(idOf({ distinct_id: "  hello  " })).toBe("  hello  ");
  });
});

test("what is no event", () => {
  for (const bad of ["1", '"x"', "null", "[]", '[{"event":"e","distinct_id":"d"}]']) {
    expect(normalise(bad)).toBe("invalid_event");
  }
  for (const bad of [[], "x", 1, true]) expect(refuse({ properties: bad })).toBe("invalid_event");
  for (const fine of [null, undefined, {}]) expect(accept({ properties: fine }).properties).toBe("{}");
});

test("uuids", () => {
  for (const bad of ["x", "0190e0c5-0000-7000-8000-00000000000", 5, true, {}]) {
    expect(refuse({ uuid: bad })).toBe("invalid_uuid");
  }
});

test("size", () => {
  const ofSize = (bytes: number) =>
    `{"event":"e","distinct_id":"d","properties":{"a":"${"é".repeat((bytes - 8) / 2)}"}}`;
  expect(normalise(ofSize(1000), { eventMaxBytes: 1000 })).toBeObject();
  expect(normalise(ofSize(1002), { eventMaxBytes: 1000 })).toBe("message_size_too_large");
});

test("size is of bytes, wherever the text comes from", () => {
  const text = (count: number) => "é€😀".repeat(count); // 9 bytes in 4 units
  for (const [event, ownBytes] of [
    [(count: number) => ({ properties: { $elements_chain: text(count) } }), "{}".length],
    [(count: number) => ({ $set: { a: text(count) } }), '{"$set":{"a":""}}'.length],
    [
      (count: number) => ({ properties: { b: 1 }, $set_once: { a: text(count) } }),
      '{"b":1},"$set_once":{"a":""}'.length,
    ],
  ] as const) {
    for (const count of [1, 10, 1000]) {
      const eventMaxBytes = count * 9 + ownBytes;
      accept(event(count), { eventMaxBytes });
      expect(refuse(event(count), { eventMaxBytes: eventMaxBytes - 1 })).toBe("message_size_too_large");
    }
  }
  // Above the limit by what is added to an event that is stored as it was sent.
  const ip = "é".repeat(20);
  const whole = { uuid: UUID, timestamp: "2026-05-01", properties: { a: "x".repeat(100) } };
  const eventMaxBytes = Buffer.byteLength(JSON.stringify({ ...whole.properties, $ip: ip }));
  expect(refuse(whole, { ip, eventMaxBytes: eventMaxBytes - 1 })).toBe("message_size_too_large");
  accept(whole, { ip, eventMaxBytes });
});

describe("properties", () => {
  test("keep their text", () => {
    const properties = '{"a":1e2,"b":1.1,"c":12345678901234567890,"d":"\\u0041\\/","e":-0, "f":[0.01,1.5e-7]}';
    expect(normalise(`{"event":"e","distinct_id":"d","properties":${properties}}`)).toMatchObject({ properties });
  });

  test("NUL and lone surrogates become U+FFFD in keys and values", () => {
    const properties = '{"a\\u0000":"\\ud800","b":"\\\\u0000 \\ud83d\\ude00"}';
    expect(normalise(`{"event":"e","distinct_id":"d","properties":${properties}}`)).toMatchObject({
      properties: '{"a\\ufffd":"\\ufffd","b":"\\\\u0000 \\ud83d\\ude00"}',
    });
  });

  test("$set and $set_once beside them are merged in and win, digits kept", () => {
    const event =
      `{"event":"e","distinct_id":"d","$set":{"a": 1.10,"b":{"c":[1e2]}},"$set_once":{"x":12345678901234567890},
      "properties":{"k":1.0,"$set":{"a":2,"z":3.30}}}`.replace(/\n */, " ");
    expect(normalise(event)).toMatchObject({
      properties: '{"k":1  ,"$set":{"a":1.1,"z":3.3,"b":{"c":[1e2]}},"$set_once":{"x":12345678901234567890}}',
    });
  });

  test("merging gives what merging the values gives", () => {
    const object = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const set = fc.oneof(object, fc.constantFrom(undefined, null, 5, "x", [1]));
    fc.assert(
      fc.property(fc.option(object), set, set, set, set, (own, $set, $set_once, inner, innerOnce) => {
        const properties = own && { ...own, $set: inner, $set_once: innerOnce };
        const expected: Record<string, unknown> = JSON.parse(JSON.stringify(properties ?? {}));
        const merge = (key: string, outer: unknown) => {
          if (!isObject(outer)) return;
          expected[key] = { ...(isObject(expected[key]) ? expected[key] : {}), ...outer };
        };
        const clean = JSON.parse(JSON.stringify({ $set, $set_once })) as JsonObject;
        merge("$set", clean.$set);
        merge("$set_once", clean.$set_once);
        expect(JSON.parse(accept({ properties, $set, $set_once }).properties)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
