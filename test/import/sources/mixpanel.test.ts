import { describe, expect, test } from "bun:test";
import { uuidOf } from "../../../src/import/mod.ts";
import { mixpanel } from "../../../src/import/sources/mixpanel/mod.ts";
import type { MixpanelOptions } from "../../../src/import/sources/mixpanel/options.ts";
import { type JsonObject, UsageError } from "../../../src/types/mod.ts";
import { checkMapping } from "./hostile.ts";
import { eventOf, firstsOf, mapper, objectIn, parsed, reasonOf } from "./map.ts";

const options: MixpanelOptions = { files: ["x"], api: null, timezone: null, groupKeys: [] };
const map = mapper(mixpanel, options, "2024-01-31.jsonl");
const mapProfile = mapper(mixpanel, options, "profiles.jsonl");

/** A row as the export has it, with these properties. */
function row(properties: JsonObject, event = "test_event"): JsonObject {
  return { event, properties: { time: 1697379000, distinct_id: "user123", $insert_id: "i1", ...properties } };
}

const web = parsed({
  event: "$mp_web_page_view",
  properties: {
    time: 1746097970123,
    distinct_id: "$device:123",
    $browser: "Chrome",
    $browser_version: 135,
    $city: "Mumbai",
    $current_url: "https://domain.com/state/maharashtra?utm_source=google&gclid=abc",
    $device: "Android",
    $device_id: "123",
    $initial_referrer: "https://referrer.com/",
    $initial_referring_domain: "referrer.com",
    $insert_id: "source_id",
    $lib_version: "2.60.0",
    $mp_api_endpoint: "api-js.mixpanel.com",
    $mp_api_timestamp_ms: 1746078175363,
    $geo_source: "ip",
    $os: "Android",
    $referrer: "https://google.com/",
    $referring_domain: "google.com",
    $region: "Maharashtra",
    $screen_height: 854,
    $screen_width: 384,
    current_page_title: "Landed",
    gclid: "abc",
    mp_country_code: "IN",
    mp_lib: "web",
    mp_processing_time_ms: 1746078175546,
    utm_medium: "cpc",
    utm_source: "google",
  },
});

describe("a row of Mixpanel's export", () => {
  test("gets its uuid from $insert_id, as PostHog's importer makes it", () => {
    const one = eventOf(map(row({ $insert_id: "unique_insert_id_123" })));
    // Version 5 in the namespace whose bytes are "posthog_mixpanel".
    expect(one.uuid).toBe(v5("posthog_mixpanel", "unique_insert_id_123"));
    expect(eventOf(map(row({ $insert_id: "unique_insert_id_123", other: 1 }))).uuid).toBe(one.uuid);
  });

  test("without $insert_id gets one of all that it says, and says that copies count", () => {
    const bare = row({ $insert_id: null, a: 1, b: 2 });
    const turned = {
      event: bare.event!,
      properties: { b: 2, a: 1, ...(row({ $insert_id: null }).properties as JsonObject) },
    };
    expect(eventOf(map(bare)).uuid).toBe(eventOf(map(turned)).uuid);
    expect(eventOf(map(bare)).uuid).not.toBe(eventOf(map(row({ $insert_id: null, a: 2, b: 2 }))).uuid);
    expect(map(bare)).toHaveProperty("isNumbered", true);
    expect(map(row({}))).toHaveProperty("isNumbered", false);
  });

  test.each([
    [1697379000, "2023-10-15T14:10:00.000Z"],
    [1697379000123, "2023-10-15T14:10:00.123Z"],
    [1697379000.25, "2023-10-15T14:10:00.250Z"],
    ["1697379000", "2023-10-15T14:10:00.000Z"],
    [10_000_000_000, "2286-11-20T17:46:40.000Z"],
    [10_000_000_001, "1970-04-26T17:46:40.001Z"],
  ])("has its time in seconds or milliseconds: %p", (time, timestamp) => {
    expect(eventOf(map(row({ time }))).timestamp).toBe(timestamp);
  });

  test.each([
    [{ time: null }, "no_time"],
    [{ time: "" }, "no_time"],
    [{ time: "yesterday" }, "bad_time"],
    [{ time: true }, "bad_time"],
    [{ time: 1e300 }, "bad_time"],
    [{ distinct_id: null }, "no_id"],
    [{ distinct_id: " " }, "no_id"],
  ])("is rejected where it has no time or no id: %p", (properties, reason) => {
    expect(reasonOf(map, row(properties as JsonObject))).toBe(reason);
  });

  test("is rejected without name or properties", () => {
    expect(reasonOf(map, { properties: { time: 1, distinct_id: "a" } })).toBe("no_event");
    expect(reasonOf(map, { event: "a" })).toBe("not_an_object");
    expect(reasonOf(map, { event: "a", properties: [] })).toBe("not_an_object");
  });

  test.each([
    // PostHog's own rows.
    [{ distinct_id: null, $device_id: "DEVICE-ABC" }, "DEVICE-ABC"],
    [{ distinct_id: null, $user_id: "user-42", $device_id: "DEVICE-ABC" }, "user-42"],
    [{ distinct_id: "12345", $distinct_id_before_identity: "DEVICE-UUID" }, "12345"],
    [{ distinct_id: "1A2B-3C4D", $distinct_id_before_identity: "stable-id" }, "stable-id"],
    // The rest of the table.
    [{ distinct_id: "$device:abc", $distinct_id_before_identity: "stable-id" }, "stable-id"],
    [{ distinct_id: "", $distinct_id_before_identity: "stable-id", $user_id: "u" }, "stable-id"],
    [{ distinct_id: "1a2b-3c4d", $distinct_id_before_identity: "other" }, "1a2b-3c4d"],
    [{ distinct_id: "A1", $distinct_id_before_identity: "" }, "A1"],
    [{ distinct_id: "A1", $distinct_id_before_identity: { no: "text" } }, "A1"],
    [{ distinct_id: 77 }, "77"],
  ])("is of the person that %p names", (properties, id) => {
    expect(eventOf(map(row(properties as JsonObject))).distinct_id).toBe(id);
  });

  test("becomes a page view with PostHog's names", () => {
    const event = eventOf(map(web));
    expect(event).toMatchObject({
      event: "$pageview",
      distinct_id: "$device:123",
      timestamp: "2025-05-01T11:12:50.123Z",
      uuid: v5("posthog_mixpanel", "source_id"),
    });
    expect(event.properties).toEqual({
      $browser: "Chrome",
      $browser_version: 135,
      $current_url: "https://domain.com/state/maharashtra?utm_source=google&gclid=abc",
      $host: "domain.com",
      $pathname: "/state/maharashtra",
      $device: "Android",
      $device_id: "123",
      $device_type: "Mobile",
      $initial_referrer: "https://referrer.com/",
      $initial_referring_domain: "referrer.com",
      $lib: "web",
      $lib_version: "2.60.0",
      $os: "Android",
      $referrer: "https://google.com/",
      $referring_domain: "google.com",
      $screen_height: 854,
      $screen_width: 384,
      $geoip_city_name: "Mumbai",
      $geoip_subdivision_1_name: "Maharashtra",
      $geoip_country_code: "IN",
      $geoip_country_name: "India",
      $mixpanel_device_id: "123",
      title: "Landed",
      gclid: "abc",
      utm_medium: "cpc",
      utm_source: "google",
      $set: {
        $browser: "Chrome",
        $browser_version: 135,
        $os: "Android",
        $device: "Android",
        $device_type: "Mobile",
        $current_url: "https://domain.com/state/maharashtra?utm_source=google&gclid=abc",
        $referrer: "https://google.com/",
        $referring_domain: "google.com",
        $geoip_city_name: "Mumbai",
        $geoip_subdivision_1_name: "Maharashtra",
        $geoip_country_code: "IN",
        $geoip_country_name: "India",
      },
      $set_once: { $initial_referrer: "https://referrer.com/", $initial_referring_domain: "referrer.com" },
    });
  });

  test("sets what it says of the person", () => {
    const event = eventOf(map(row({ $browser: "Chrome", mp_country_code: "US", $initial_utm_source: "google" })));
    expect(objectIn(event, "$set")).toEqual({
      $browser: "Chrome",
      $geoip_country_code: "US",
      $geoip_country_name: "United States",
    });
    expect(objectIn(event, "$set_once")).toEqual({ $initial_utm_source: "google" });
  });

  test("keeps the fields of phones", () => {
    const phone = {
      $os: "iOS",
      $os_version: "17.1",
      $manufacturer: "Apple",
      $model: "iPad13,4",
      $app_version_string: "2.1",
    };
    const event = eventOf(map(row({ ...phone, $app_build_number: "77", $carrier: "O2", $wifi: true })));
    expect(event.properties).toMatchObject({
      ...{ $os: "iOS", $os_version: "17.1", $device_manufacturer: "Apple", $device_model: "iPad13,4" },
      ...{ $device_type: "Tablet", $app_version: "2.1", $app_build: "77", $network_carrier: "O2", $network_wifi: true },
    });
  });

  test("connects user and device once for the two, in both forms of the device", () => {
    const later = map(row({ distinct_id: "user-42", $user_id: "user-42", $device_id: "abc", time: 1697379100 }));
    const earlier = map(row({ distinct_id: "user-42", $user_id: "user-42", $device_id: "abc", $insert_id: "i0" }));
    expect(firstsOf(earlier).map(({ event }) => event)).toEqual([
      {
        uuid: uuidOf("weir/identify", "user-42", "abc"),
        event: "$identify",
        distinct_id: "user-42",
        properties: { $anon_distinct_id: "abc" },
      },
      {
        uuid: uuidOf("weir/identify", "user-42", "$device:abc"),
        event: "$identify",
        distinct_id: "user-42",
        properties: { $anon_distinct_id: "$device:abc" },
      },
    ]);
    const [one] = firstsOf(earlier);
    expect(one).toMatchObject({ atMs: 1697379000000, link: { device: "abc", user: "user-42" } });
    expect(firstsOf(later).map(({ key }) => key)).toEqual(firstsOf(earlier).map(({ key }) => key));
    expect(eventOf(earlier).properties).toMatchObject({ $mixpanel_user_id: "user-42", $mixpanel_device_id: "abc" });
    expect(firstsOf(map(row({ $user_id: "u" })))).toEqual([]);
    expect(firstsOf(map(row({ $device_id: "d" })))).toEqual([]);
  });

  test("that is Mixpanel's $identify connects its two ids", () => {
    const event = eventOf(map(row({ distinct_id: "x", $identified_id: "user", $anon_id: "anon" }, "$identify")));
    expect(event).toMatchObject({ event: "$identify", distinct_id: "user", properties: { $anon_distinct_id: "anon" } });
  });

  test("has the time of its project's zone", () => {
    const old = mapper(mixpanel, { ...options, timezone: "Europe/Berlin" }, "a.jsonl");
    const at = (text: string) => eventOf(old(row({ time: Date.parse(`${text}Z`) }))).timestamp;
    expect(at("2022-01-10T12:00:00.5")).toBe("2022-01-10T11:00:00.500Z");
    expect(at("2022-07-10T12:00:00")).toBe("2022-07-10T10:00:00.000Z");
    // Twice: the first one. Left out: forward.
    expect(at("2022-10-30T02:30:00")).toBe("2022-10-30T00:30:00.000Z");
    expect(at("2022-03-27T02:30:00")).toBe("2022-03-27T01:30:00.000Z");
  });
});

describe("a profile of Mixpanel", () => {
  const profile = {
    $distinct_id: "user-42",
    $properties: {
      $created: "2008-12-12T11:20:47",
      $email: "a@b.c",
      $name: "A B",
      $first_name: "A",
      $last_name: "B",
      $phone: "+1",
      $last_seen: "2023-06-09T23:08:40",
      $country_code: "GB",
      $city: "London",
      plan: "pro",
      seats: [1, 2],
    },
  };

  test("is set when it was seen last", () => {
    const event = eventOf(mapProfile(parsed(profile)));
    expect(event).toMatchObject({ event: "$set", distinct_id: "user-42", timestamp: "2023-06-09T23:08:40.000Z" });
    expect(event.properties).toEqual({
      $set: {
        email: "a@b.c",
        name: "A B",
        first_name: "A",
        last_name: "B",
        phone: "+1",
        created: "2008-12-12T11:20:47",
        $geoip_country_code: "GB",
        $geoip_country_name: "United Kingdom",
        $geoip_city_name: "London",
        plan: "pro",
        seats: [1, 2],
      },
    });
    const changed = { ...profile, $properties: { ...profile.$properties, plan: "free" } };
    expect(eventOf(mapProfile(parsed(changed))).uuid).not.toBe(event.uuid);
    // A file of profiles under any name.
    expect(eventOf(map(parsed(profile)))).toEqual(event);
  });

  test("without such a time is a person", () => {
    const { $last_seen: _, ...rest } = profile.$properties;
    expect(mapProfile(parsed({ $distinct_id: 4, $properties: rest }))).toMatchObject({
      person: { distinct_ids: ["4"], created_at: "2008-12-12T11:20:47.000Z", properties: { email: "a@b.c" } },
    });
    expect(reasonOf(mapProfile, parsed({ $properties: rest, $distinct_id: null }))).toBe("no_id");
  });

  test("keeps the rules of mappings, whatever it holds", () => {
    checkMapping(mapProfile, parsed(profile), 200);
  });
});

describe("a group of Mixpanel", () => {
  const grouped: MixpanelOptions = { ...options, groupKeys: [{ name: "company_id", dataGroupId: null }] };
  const mapGroup = mapper(mixpanel, grouped, "group-profiles.jsonl");
  const profile = {
    $distinct_id: "acme",
    $properties: { $name: "Acme", seats: 5, $last_seen: "2023-06-09T23:08:40", $created: "2020-01-01T00:00:00" },
  };

  test("is what events say by its key", () => {
    const event = (properties: JsonObject) => eventOf(mapper(mixpanel, grouped, "a.jsonl")(row(properties)));
    expect(event({ company_id: "acme" }).properties).toMatchObject({
      company_id: "acme",
      $groups: { company_id: "acme" },
    });
    expect(event({ company_id: [7, "acme"] }).properties.$groups).toEqual({ company_id: "7" });
    expect(event({ company_id: "" }).properties.$groups).toBeUndefined();
    expect(event({ company_id: "a", $groups: { team: "t" } }).properties.$groups).toEqual({
      team: "t",
      company_id: "a",
    });
    expect(eventOf(map(row({ company_id: "acme" }))).properties.$groups).toBeUndefined();
  });

  test("has the properties of its profile from when it was seen last", () => {
    const event = eventOf(mapGroup(parsed(profile)));
    expect(event).toMatchObject({
      event: "$groupidentify",
      distinct_id: "$company_id_acme",
      timestamp: "2023-06-09T23:08:40.000Z",
      properties: {
        $group_type: "company_id",
        $group_key: "acme",
        $group_set: { name: "Acme", seats: 5, created: "2020-01-01T00:00:00" },
      },
    });
    expect(objectIn(event, "$group_set").$last_seen).toBeUndefined();
    const marked = parsed({ $group_key: "company_id", ...profile });
    for (const other of [mapper(mixpanel, options, "group-profiles.jsonl"), map, mapProfile]) {
      expect(eventOf(other(marked))).toEqual(event);
    }
    const changed = { ...profile, $properties: { ...profile.$properties, seats: 6 } };
    expect(eventOf(mapGroup(parsed(changed))).uuid).not.toBe(event.uuid);
    const { $last_seen: _, ...created } = profile.$properties;
    expect(eventOf(mapGroup(parsed({ ...profile, $properties: created }))).timestamp).toBe("2020-01-01T00:00:00.000Z");
  });

  test("is rejected without a key, an id or a time", () => {
    expect(reasonOf(mapper(mixpanel, options, "group-profiles.jsonl"), parsed(profile))).toBe("no_id");
    expect(reasonOf(mapGroup, parsed({ ...profile, $distinct_id: null }))).toBe("no_id");
    expect(reasonOf(mapGroup, parsed({ ...profile, $properties: { seats: 5 } }))).toBe("no_time");
  });

  test("keeps the rules of mappings, whatever its profile holds", () => {
    checkMapping(mapGroup, parsed(profile), 200);
  });

  test("changes what an import is", async () => {
    const mappingOf = async (keys?: string) =>
      mixpanel.mappingOf(await mixpanel.read(keys === undefined ? {} : { "group-keys": keys }, ["x"]));
    expect(await mappingOf("a,b=-12")).toBe(await mappingOf("b,a"));
    expect(await mappingOf("a")).not.toBe(await mappingOf());
    for (const wrong of ["", "a=b", "=1", "a=1=2"]) expect(() => mappingOf(wrong)).toThrow(UsageError);
  });
});

test("a mapping of Mixpanel keeps its rules, whatever a row holds", () => {
  checkMapping(map, web);
});

test("files are told apart by their names", () => {
  const formats = (file: string) => mixpanel.stages.map((stage) => stage.formatOf(file, options));
  expect(formats("/a/2024-01-31.jsonl")).toEqual([null, null, "lines"]);
  expect(formats("export.json.gz")).toEqual([null, null, "lines"]);
  expect(formats("s3://b/engage_profiles.ndjson.zst")).toEqual([null, "lines", null]);
  expect(formats("group_profiles.jsonl")).toEqual(["lines", null, null]);
  expect(formats("readme.md")).toEqual([null, null, null]);
});

/** RFC 9562 version 5, written out again: the namespace is what other importers use. */
function v5(namespace: string, name: string): string {
  const hash = new Bun.CryptoHasher("sha1").update(namespace).update(name).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex").slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
