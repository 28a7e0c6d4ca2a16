import { describe, expect, test } from "bun:test";
import { uuidOf } from "../../../src/import/mod.ts";
import { amplitude } from "../../../src/import/sources/amplitude/mod.ts";
import type { Json, JsonObject } from "../../../src/types/mod.ts";
import { checkMapping } from "./hostile.ts";
import { eventOf, firstsOf, mapper, objectIn, parsed, reasonOf } from "./map.ts";

const map = mapper(amplitude, { files: ["x"], api: null }, "2024-01-31.zip/1/2024-01-31_1#1.json.gz");

/** A row with these members. */
function row(members: JsonObject): JsonObject {
  return {
    event_type: "test_event",
    user_id: "user123",
    event_time: "2023-10-15 14:30:00",
    $insert_id: "i",
    ...members,
  };
}

/** Of a phone, as the export has it. */
const phone = parsed({
  $insert_id: "00000000-0000-4000-8000-000000000001",
  amplitude_id: 100000000001,
  app: 111111,
  adid: "ad-1",
  city: "Springfield",
  client_event_time: "2025-02-05 22:57:31.078000",
  client_upload_time: "2025-02-05 22:58:14.311000",
  country: "Testland",
  data: { path: "/2/httpapi" },
  data_type: "event",
  device_brand: null,
  device_carrier: "O2",
  device_family: "Apple iPhone",
  device_id: "AAAAAAAA-0000-0000-0000-000000000001",
  device_manufacturer: "Apple",
  device_model: null,
  device_type: "Apple iPhone 12 Mini",
  dma: "501",
  event_id: 1,
  event_properties: { userId: "user-001", nested: { a: [1, null] } },
  event_time: "2025-02-05 22:57:31.078000",
  event_type: "LoggedIn",
  groups: { company: ["acme-corp", "second"], team: "eng" },
  group_properties: { company: { "acme-corp": { name: "Acme", size: 250 } } },
  idfa: "idfa-1",
  ip_address: "192.0.2.1",
  language: "English",
  library: "amplitude-swift/1.0",
  location_lat: 1.5,
  location_lng: -2.5,
  os_name: "ios",
  os_version: "17.6.1",
  paying: "true",
  platform: "iOS",
  region: "Test Region",
  session_id: 1738796250000,
  start_version: "200",
  user_id: "user-001",
  user_properties: { plan: "pro", initial_referrer: "EMPTY", initial_utm_source: "google", age: 30, gone: "EMPTY" },
  uuid: "00000000-0000-4000-8000-0000000000A1",
  version_name: "201",
});

describe("a row of Amplitude's export", () => {
  test("of a phone keeps every field of the table", () => {
    const event = eventOf(map(phone));
    expect(event).toMatchObject({
      uuid: "00000000-0000-4000-8000-0000000000a1",
      event: "LoggedIn",
      distinct_id: "user-001",
      timestamp: "2025-02-05T22:57:31.078Z",
    });
    const { $session_id, ...properties } = event.properties;
    expect(properties).toEqual({
      userId: "user-001",
      nested: { a: [1, null] },
      $geoip_city_name: "Springfield",
      $geoip_subdivision_1_name: "Test Region",
      $geoip_country_name: "Testland",
      $geoip_latitude: 1.5,
      $geoip_longitude: -2.5,
      $ip: "192.0.2.1",
      $app_version: "201",
      $locale: "English",
      $lib: "amplitude-swift/1.0",
      $network_carrier: "O2",
      $amplitude_user_id: "user-001",
      $amplitude_device_id: "AAAAAAAA-0000-0000-0000-000000000001",
      $device_id: "AAAAAAAA-0000-0000-0000-000000000001",
      $amplitude_id: 100000000001,
      $amplitude_start_version: "200",
      $amplitude_dma: "501",
      $amplitude_adid: "ad-1",
      $amplitude_idfa: "idfa-1",
      $amplitude_event_id: 1,
      $amplitude_session_id: 1738796250000,
      $amplitude_paying: true,
      $os: "iOS",
      $os_version: "17.6.1",
      $device_manufacturer: "Apple",
      $device_model: "Apple iPhone 12 Mini",
      $device_type: "Mobile",
      $groups: { company: "acme-corp", team: "eng" },
      $set: {
        plan: "pro",
        age: 30,
        $os: "iOS",
        $os_version: "17.6.1",
        $device_type: "Mobile",
        $geoip_city_name: "Springfield",
        $geoip_subdivision_1_name: "Test Region",
        $geoip_country_name: "Testland",
      },
      $set_once: { $initial_utm_source: "google" },
    });
    // Version 7: the time when the session began, in front.
    expect($session_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(String($session_id).replace("-", "").slice(0, 12), 16)).toBe(1738796250000);
  });

  test("of the web has the browser in os_name", () => {
    const web = {
      platform: "Web",
      os_name: "Chrome",
      os_version: "120",
      device_type: "Windows",
      device_family: "Windows",
    };
    expect(eventOf(map(row(web))).properties).toMatchObject({
      ...{ $browser: "Chrome", $browser_version: 120, $os: "Windows", $device_type: "Desktop" },
      $set: { $browser: "Chrome", $browser_version: 120, $os: "Windows", $device_type: "Desktop" },
    });
    const version = eventOf(map(row({ ...web, os_version: "15.0", device_type: "Mac" }))).properties;
    expect(version).toMatchObject({ $browser_version: "15.0", $os: "Mac OS X", $device_type: "Desktop" });
    const safari = eventOf(map(row({ ...web, os_name: "Safari", device_type: "iOS" }))).properties;
    expect(safari).toMatchObject({ $browser: "Safari", $os: "iOS", $device_type: "Mobile" });
  });

  test("of a platform that is not told has a device, as PostHog's own row", () => {
    const device = { device_type: "iOS", os_name: "iOS", os_version: "15.0" };
    const place = { country: "United States", city: "San Francisco", region: "California", ip_address: "192.168.1.1" };
    expect(eventOf(map(row({ ...device, ...place }))).properties).toMatchObject({
      ...{ $os: "iOS", $os_version: "15.0", $device_type: "Mobile", $ip: "192.168.1.1" },
      ...{ $geoip_country_name: "United States", $geoip_city_name: "San Francisco" },
      $geoip_subdivision_1_name: "California",
    });
  });

  test.each([
    ["[Amplitude] Page Viewed", "$pageview"],
    ["[Amplitude] Element Clicked", "$autocapture"],
    ["[Amplitude] Element Changed", "$autocapture"],
    ["constructor", "constructor"],
    ["button_click", "button_click"],
  ])("%p is %p", (type, name) => {
    expect(eventOf(map(row({ event_type: type }))).event).toBe(name);
  });

  test("that is a page view has the page", () => {
    const own = {
      "[Amplitude] Page URL": "https://example.com/page",
      "[Amplitude] Page Domain": "example.com",
      "[Amplitude] Page Path": "/page",
      "[Amplitude] Viewport Height": 600,
      "[Amplitude] Viewport Width": 800,
      referrer: "https://google.com/",
      referring_domain: "google.com",
    };
    const event = eventOf(map(row({ event_type: "[Amplitude] Page Viewed", event_properties: own })));
    const page = { $current_url: "https://example.com/page", $pathname: "/page" };
    const before = { $referrer: "https://google.com/", $referring_domain: "google.com" };
    const window = { $host: "example.com", $viewport_height: 600, $viewport_width: 800 };
    expect(event.properties).toMatchObject({ ...own, ...page, ...before, ...window });
    expect(objectIn(event, "$set")).toEqual({ ...page, ...before });
  });

  test.each([
    [{ event_time: "2023-10-15 14:30:00" }, "2023-10-15T14:30:00.000Z"],
    [{ event_time: "2023-10-15 14:30:00.123" }, "2023-10-15T14:30:00.123Z"],
    [{ event_time: "2023-10-15T14:30:00.123456Z" }, "2023-10-15T14:30:00.123Z"],
    [{ event_time: "no time", client_event_time: "2023-10-15 14:30:01" }, "2023-10-15T14:30:01.000Z"],
    [{ event_time: null, server_received_time: "2023-10-15 14:30:02" }, "2023-10-15T14:30:02.000Z"],
  ])("has its time: %p", (times, timestamp) => {
    expect(eventOf(map(row(times))).timestamp).toBe(timestamp);
  });

  test.each([
    [{ event_type: null }, "no_event"],
    [{ event_time: null }, "no_time"],
    [{ event_time: "invalid-timestamp" }, "bad_time"],
    [{ event_time: "2023-02-30 00:00:00" }, "bad_time"],
    [{ user_id: null }, "no_id"],
    [{ event_properties: '{"a":1' }, "not_an_object"],
    [{ user_properties: [1] }, "not_an_object"],
    [{ user_id: "", device_id: "" }, "no_id"],
  ])("is rejected, never guessed: %p", (members, reason) => {
    expect(reasonOf(map, row(members))).toBe(reason);
  });

  test("without a uuid gets one of its ids", () => {
    const ids = { user_id: "u", device_id: "d", amplitude_id: 7, $insert_id: "x" };
    const { uuid } = eventOf(map(row(ids)));
    expect(uuid).toBe(uuidOf("weir/amplitude", "7", "d", "x"));
    expect(eventOf(map(row({ ...ids, event_time: "2024-01-01 00:00:00" }))).uuid).toBe(uuid);
    expect(eventOf(map(row({ ...ids, uuid: "no uuid" }))).uuid).toBe(uuid);
    expect(map(row(ids))).toHaveProperty("isNumbered", false);
    expect(map(row({ $insert_id: null }))).toHaveProperty("isNumbered", true);
  });

  test("that begins a session is left out", () => {
    expect(map(row({ event_type: "session_start" }))).toHaveProperty("leftOut");
    expect(map(row({ event_type: "session_end" }))).toHaveProperty("event");
  });

  test("has a session only where Amplitude has one", () => {
    for (const session_id of [-1, 0, null, "no"] as Json[]) {
      const { properties } = eventOf(map(row({ session_id })));
      expect(properties).not.toHaveProperty("$session_id");
      expect(properties).not.toHaveProperty("$amplitude_session_id");
    }
    const ids = [row({ device_id: "d", session_id: 131415 }), row({ device_id: "e", session_id: 131415 })].map(
      (given) => eventOf(map(given)).properties.$session_id,
    );
    expect(new Set(ids).size).toBe(2);
  });

  test("connects user and device once for the two", () => {
    const mapped = map(row({ device_id: "device456" }));
    expect(firstsOf(mapped)).toEqual([
      {
        key: expect.any(String) as string,
        atMs: Date.parse("2023-10-15T14:30:00Z"),
        event: {
          uuid: uuidOf("weir/identify", "user123", "device456"),
          event: "$identify",
          distinct_id: "user123",
          properties: { $anon_distinct_id: "device456" },
        },
        link: { device: "device456", user: "user123" },
      },
    ]);
    expect(firstsOf(map(row({})))).toEqual([]);
    expect(firstsOf(map(row({ user_id: null, device_id: "d" })))).toEqual([]);
    expect(firstsOf(map(row({ device_id: "user123" })))).toEqual([]);
  });

  test("sets the properties of groups once a day for each state", () => {
    const state = (set: JsonObject, event_time = "2023-10-15 14:30:00") =>
      firstsOf(map(row({ groups: { company: ["acme"] }, group_properties: { company: { acme: set } }, event_time })));
    const [first] = state({ name: "Acme", size: 250 });
    expect(first!.event).toMatchObject({
      event: "$groupidentify",
      distinct_id: "$company_acme",
      properties: { $group_type: "company", $group_key: "acme", $group_set: { name: "Acme", size: 250 } },
    });
    expect(state({ size: 250, name: "Acme" }, "2023-10-15 20:00:00")[0]!.key).toBe(first!.key);
    expect(state({ name: "Acme", size: 300 })[0]!.key).not.toBe(first!.key);
    expect(state({ name: "Acme", size: 250 }, "2023-10-16 00:00:00")[0]!.key).not.toBe(first!.key);
    expect(state({})).toEqual([]);
    expect(eventOf(map(row({ groups: { company: ["acme"] } }))).properties.$groups).toEqual({ company: "acme" });
  });

  test("that is a change of properties is only that", () => {
    const change = map(row({ event_type: "$identify", user_properties: { plan: "pro" }, city: "Berlin" }));
    expect(eventOf(change)).toMatchObject({ event: "$set", distinct_id: "user123" });
    expect(eventOf(change).properties.$set).toEqual({ plan: "pro" });
    expect(map(row({ event_type: "$identify" }))).toHaveProperty("leftOut");
    const linked = map(row({ event_type: "$identify", device_id: "d" }));
    expect(Object.keys(linked)).toEqual(["firsts"]);
    const group = { groups: { company: ["acme"] }, group_properties: { company: { acme: { a: 1 } } } };
    const grouped = map(row({ event_type: "$groupidentify", ...group }));
    expect(Object.keys(grouped)).toEqual(["firsts"]);
    expect(firstsOf(grouped)).toHaveLength(1);
    expect(map(row({ event_type: "$groupidentify" }))).toHaveProperty("leftOut");
  });

  test.each([
    ["true", true],
    ["0", false],
    [1, true],
    [false, false],
    [null, undefined],
  ] as [Json, boolean | undefined][])("reads paying %p", (paying, expected) => {
    expect(eventOf(map(row({ paying }))).properties.$amplitude_paying).toEqual(expected!);
  });
});

test("a mapping of Amplitude keeps its rules, whatever a row holds", () => {
  checkMapping(map, phone);
});
