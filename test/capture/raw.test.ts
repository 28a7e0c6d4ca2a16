import { expect, test } from "bun:test";
import fc from "fast-check";
import { HINTED_NAMES } from "../../src/capture/event/hints.ts";
import { normaliseEvent } from "../../src/capture/event/normalise.ts";
import { rawEvent } from "../../src/capture/event/raw.ts";
import { EVENT, PROPERTY } from "../../src/capture/outline/keys.ts";
import { Members } from "../../src/capture/outline/outline.ts";
import { outlineOf } from "../../src/capture/payload/payload.ts";
import { RawEvent, textOf } from "../../src/types/mod.ts";
import { contextOf, NOW_MS, UUID, type Warned, written } from "./support.ts";

type Given = Parameters<typeof contextOf>[0];

/** It has letters in it. */
const TALL_UUID = "0190E0C5-0000-7000-8000-00000000000A";

/** Mostly what leaves an event as it is; sometimes what changes it, or has it set aside. */
const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, times = 20) =>
  fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: odd });

const json = (...values: unknown[]) => fc.constantFrom(...values.map((value) => JSON.stringify(value)));
const oddText = fc.oneof(
  json("", " ", " a", "a b", "é", "😀", 'a"b', "a\\b", "\u0000", "\ud800", "x".repeat(201), "\u007f", "undefined"),
  fc.constantFrom("5", "null", "true", "{}", '["a"]', '"\\u0041"', '"\\/"'),
);
const name = often(
  json("e", "$custom", "purchase of é", "x".repeat(200)),
  fc.oneof(oddText, json("$performance_event", ...HINTED_NAMES)),
  6,
);
const id = often(json("d", "user 7", "0190e0c5-0000-7000-8000-00000000000a", "guest"), oddText);
const uuid = often(
  fc.uuid().map((text) => `"${text}"`),
  fc.oneof(
    oddText,
    json(UUID.toUpperCase(), UUID.replaceAll("-", ""), `${UUID}a`, UUID.replace("-", "0"), `${UUID.slice(1)}g`),
  ),
);
const timestamp = often(
  fc.integer({ min: -86_400_000, max: 90_000_000 }).map((ms) => `"${new Date(NOW_MS + ms).toISOString()}"`),
  fc.oneof(oddText, json("2026-05-01", "2026-05-01 10:00+02", "yesterday", "3 May 2026", "9999-12-31T23:59:59-12:00")),
);
const value = fc.constantFrom(
  "null",
  "true",
  "false",
  "1.10",
  '""',
  '"a"',
  '{"a":1}',
  '[{"tag_name":"a"}]',
  `"${TALL_UUID}"`,
  `"${TALL_UUID.replace("E", "\\u0045")}"`,
  '"\\u0041"',
);
const blanks = fc.constantFrom("", "", " ", "\n ");

const member = (names: string[], values: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom(...names), blanks, values)
    .map(([key, blank, text]) => `${blank}"${key}"${blank}:${text}${blank}`);
const escaped = fc
  .constantFrom("\\u00e9", "\\ud83d\\ude00", "\\uDE00", "\\u0000", "\\\\u0000", "\\n", "\\u2028")
  .map((text) => `"${text}"`);
const harmless = ["$browser", "a b", "$os", "token", "distinct_id", "$session_id", "$current_url", "alias"];
const properties = fc
  .array(
    often(
      member(harmless, fc.oneof(json("x", 1, null, [1, { $ip: 2 }]), escaped)),
      member(Object.keys(PROPERTY), value),
      2,
    ),
    {
      maxLength: 4,
    },
  )
  .map((members) => `{${members.join(",")}}`);

/** Members in any order, any of them missing or there twice. */
const event = fc
  .tuple(
    fc
      .tuple(name, id, uuid, timestamp, often(properties, oddText))
      .map(([e, d, u, t, p]) => [
        `"event":${e}`,
        `"distinct_id": ${d}`,
        `"uuid":${u}`,
        `"timestamp" :${t}`,
        `"properties":${p}`,
      ]),
    often(
      fc.constant<string[]>([]),
      fc.array(member(Object.keys(EVENT), fc.oneof(value, properties)), { maxLength: 2 }),
    ),
    often(fc.constant(5), fc.nat(4)),
    blanks,
  )
  .chain(([own, more, missing, blank]) => {
    const members = [...own.filter((_, i) => i !== missing), ...more];
    const shuffled = fc.shuffledSubarray(members, { minLength: members.length });
    return shuffled.map((all) => `{${blank}${all.join(",")}${blank}}`);
  });

const given: fc.Arbitrary<Given> = fc.record({
  ip: fc.constantFrom(null, "127.0.0.1", "::1", "é"),
  anonymizeIps: fc.boolean(),
  sentAtMs: fc.constantFrom(null, NOW_MS - 5_000, NOW_MS + 86_400_000),
  sentAtText: fc.constantFrom("", "2026-05-01T00:00:00.000Z"),
  eventMaxBytes: often(fc.constant(1_000_000), fc.constantFrom(40, 5)),
  defaultName: fc.constantFrom(null, "$identify"),
  isNobody: fc.constantFrom(null, (text: string) => text === "guest"),
});

test("a raw event is what is made of it in the ordinary way, and nothing is to be warned of", () => {
  let taken = 0;
  fc.assert(
    fc.property(event, given, (text, o) => {
      const body = outlineOf(Buffer.from(`[${text}]`), 200);
      const members = new Members();
      members.toItem(body, 0);
      const raw = rawEvent(members, contextOf(o));
      if (raw === null) return;
      taken++;
      const warnings: Warned[] = [];
      const made = normaliseEvent(members, contextOf({ ...o, warnings }));
      expect(warnings).toEqual([]);
      if (typeof made === "string") throw new Error(`raw, though ${made}`);
      expect(written([raw])).toEqual(written([made]));
      const { uuid: ownUuid, event: ownName, distinctId, properties: span } = raw;
      expect({ ownUuid, ownName, distinctId }).toEqual({
        ownUuid: made.uuid,
        ownName: made.event,
        distinctId: made.distinctId,
      });
      expect(JSON.parse(textOf(span))).toBeObject();
    }),
    { numRuns: 10_000 },
  );
  expect(taken).toBeGreaterThan(500);
});

test("what SDKs send is taken raw", () => {
  const isRaw = (fields: object, o: Given = {}) => {
    const all = {
      uuid: UUID,
      event: "e",
      distinct_id: "d",
      timestamp: "2026-05-01T00:00:00.000Z",
      properties: { a: 1 },
    };
    const body = outlineOf(Buffer.from(JSON.stringify([{ ...all, ...fields }])), 200);
    const members = new Members();
    members.toItem(body, 0);
    return rawEvent(members, contextOf(o)) instanceof RawEvent;
  };
  const sent = { sentAtMs: NOW_MS, sentAtText: "2026-05-03T12:00:00.000Z", ip: "127.0.0.1" };
  expect(isRaw({}, sent)).toBe(true);
  expect(isRaw({ event: "$pageview", properties: { $current_url: "https://a" } }, sent)).toBe(true);
  const said = { $set: {}, alias: "b", $anon_distinct_id: "b", $group_type: "a", $group_key: "b" };
  for (const event of ["$identify", "$create_alias", "$merge_dangerously", "$groupidentify"]) {
    expect([event, isRaw({ event, properties: said })]).toEqual([event, false]);
  }
  expect(isRaw({ properties: { a: "\u2028\u007f\u0001" } })).toBe(true);
  expect(isRaw({ properties: { $process_person_profile: false } })).toBe(true);
  expect(isRaw({ properties: { $ip: "10.0.0.1" } }, sent)).toBe(true);
  expect(isRaw({ properties: { $ip: "" } }, sent)).toBe(false);
  expect(isRaw({ properties: { $session_id: UUID } })).toBe(true);
  expect(isRaw({ properties: { $set: { a: 1 } } })).toBe(true);
});
