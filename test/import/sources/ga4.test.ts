import { describe, expect, test } from "bun:test";
import { uuidOf } from "../../../src/import/mod.ts";
import { ga4 } from "../../../src/import/sources/ga4/mod.ts";
import type { Ga4Options } from "../../../src/import/sources/ga4/options.ts";
import type { JsonObject } from "../../../src/types/mod.ts";
import { checkMapping } from "./hostile.ts";
import { eventOf, firstsOf, mapper, objectIn, parsed, reasonOf } from "./map.ts";

const options: Ga4Options = { files: ["x"], drop: new Set(["session_start"]), anonymous: false };
const map = mapper(ga4, options, "events_20240131.json");

/** As BigQuery writes it as JSON: 64-bit integers are texts, nulls are left out. */
const page = parsed({
  event_date: "20240131",
  event_timestamp: "1706695200123456",
  event_name: "page_view",
  event_params: [
    { key: "page_location", value: { string_value: "https://shop.com/a?b=c" } },
    { key: "page_referrer", value: { string_value: "https://google.com/" } },
    { key: "page_title", value: { string_value: "A" } },
    { key: "ga_session_id", value: { int_value: "1706695190" } },
    { key: "ga_session_number", value: { int_value: "3" } },
    { key: "value", value: { double_value: 9.5 } },
    { key: "rate", value: { float_value: 0.5 } },
    { key: "empty", value: {} },
  ],
  event_value_in_usd: 10.25,
  event_bundle_sequence_id: "77",
  event_server_timestamp_offset: "1000",
  user_id: "user-1",
  user_pseudo_id: "123.456",
  privacy_info: { analytics_storage: "Yes" },
  user_properties: [{ key: "plan", value: { string_value: "pro", set_timestamp_micros: "1706695100000000" } }],
  user_first_touch_timestamp: "1700000000000000",
  device: {
    category: "mobile",
    mobile_brand_name: "Apple",
    mobile_model_name: "iPhone",
    operating_system: "iOS",
    operating_system_version: "17.1",
    language: "de-de",
    web_info: { browser: "Safari", browser_version: "17.1", hostname: "shop.com" },
  },
  geo: { continent: "Europe", country: "Germany", region: "Berlin", city: "(not set)" },
  app_info: { id: "com.shop", version: "1.2" },
  traffic_source: { name: "(direct)", medium: "cpc", source: "google" },
  collected_traffic_source: {
    manual_source: "news",
    manual_medium: "mail",
    manual_campaign_name: "winter",
    manual_term: "shoes",
    manual_content: "ad1",
    gclid: "g1",
  },
  stream_id: "1000",
  platform: "WEB",
  ecommerce: { transaction_id: "T1", purchase_revenue: 20.5, tax_value: null },
  items: [{ item_id: "sku1", price: 20.5, coupon: null }],
  is_active_user: true,
  batch_event_index: "2",
  batch_page_id: "1706695190000",
  batch_ordering_id: "5",
});

/** The same as a row of Parquet: numbers are numbers, lists may be wrapped, nulls are there. */
const parquet = {
  ...page,
  event_timestamp: 1706695200123456,
  event_bundle_sequence_id: 77,
  batch_event_index: 2,
  batch_page_id: 1706695190000,
  batch_ordering_id: 5,
  event_params: {
    list: (page.event_params as JsonObject[]).map((element) => {
      const value = { string_value: null, int_value: null, float_value: null, double_value: null };
      return { element: { key: element.key!, value: { ...value, ...(element.value as JsonObject) } } };
    }),
  },
} as JsonObject;

describe("a row of GA4's export", () => {
  test("keeps every field of the table", () => {
    const mapped = map(page);
    const event = eventOf(mapped);
    expect(event).toMatchObject({ event: "$pageview", distinct_id: "user-1", timestamp: "2024-01-31T10:00:00.123Z" });
    const { $session_id, ...properties } = event.properties;
    expect(properties).toEqual({
      $current_url: "https://shop.com/a?b=c",
      $host: "shop.com",
      $pathname: "/a",
      $referrer: "https://google.com/",
      $referring_domain: "google.com",
      title: "A",
      ga_session_id: 1706695190,
      ga_session_number: 3,
      value: 9.5,
      rate: 0.5,
      value_usd: 10.25,
      $device_type: "Mobile",
      $device_manufacturer: "Apple",
      $device_model: "iPhone",
      $os: "iOS",
      $os_version: "17.1",
      $locale: "de-de",
      $browser: "Safari",
      $browser_version: "17.1",
      $geoip_continent_name: "Europe",
      $geoip_country_name: "Germany",
      $geoip_subdivision_1_name: "Berlin",
      $app_namespace: "com.shop",
      $app_version: "1.2",
      utm_source: "news",
      utm_medium: "mail",
      utm_campaign: "winter",
      utm_term: "shoes",
      utm_content: "ad1",
      gclid: "g1",
      $ga4_stream_id: "1000",
      $ga4_platform: "WEB",
      ecommerce: { transaction_id: "T1", purchase_revenue: 20.5 },
      items: [{ item_id: "sku1", price: 20.5 }],
      $set: { plan: "pro" },
      $set_once: { $initial_utm_source: "google", $initial_utm_medium: "cpc" },
    });
    const time = Number.parseInt(String($session_id).replace("-", "").slice(0, 12), 16);
    expect([time, String($session_id)[14]]).toEqual([1706695190000, "7"]);
    expect(firstsOf(mapped).map((first) => first.event.uuid)).toEqual([uuidOf("weir/identify", "user-1", "123.456")]);
  });

  test("is the same as JSON and as Parquet", () => {
    expect(map(parquet)).toEqual(map(page));
  });

  test("is known by its place in its batch", () => {
    const parts = ["1000", "123.456", "1706695200123456", "page_view", "77", "1706695190000", "5", "2"];
    expect(eventOf(map(page)).uuid).toBe(uuidOf("weir/ga4", ...parts));
    // A day that is rewritten has the same rows with other values.
    expect(eventOf(map({ ...page, is_active_user: false, geo: {} })).uuid).toBe(eventOf(map(page)).uuid);
  });

  test("of an old export is known by its parameters too", () => {
    const { batch_event_index: _, ...old } = page;
    const other = { ...old, event_params: [{ key: "promotion", value: { string_value: "b" } }] };
    expect(eventOf(map(old)).uuid).toBe(eventOf(map({ ...old, geo: {} })).uuid);
    expect(eventOf(map(old)).uuid).not.toBe(eventOf(map(other)).uuid);
  });

  test.each([
    ["page_view", "$pageview"],
    ["screen_view", "$screen"],
    ["purchase", "purchase"],
  ])("%p is %p", (event_name, name) => {
    expect(eventOf(map({ ...page, event_name })).event).toBe(name);
  });

  test("has the name of its screen", () => {
    const event_params = [{ key: "firebase_screen", value: { string_value: "Cart" } }];
    expect(eventOf(map({ ...page, event_params })).properties.$screen_name).toBe("Cart");
  });

  test("is of the device where there is no user", () => {
    const mapped = map({ ...page, user_id: null });
    expect(eventOf(mapped).distinct_id).toBe("123.456");
    expect(firstsOf(mapped)).toEqual([]);
    expect(eventOf(mapped).properties.$session_id).toEqual(eventOf(map(page)).properties.$session_id!);
  });

  test("without any id is rejected, or becomes an event of nobody", () => {
    const bare = { ...page, user_id: null, user_pseudo_id: "" };
    expect(reasonOf(map, bare)).toBe("no_id");
    const anonymous = mapper(ga4, { ...options, anonymous: true }, "events_20240131.json");
    const event = eventOf(anonymous(bare));
    expect(event.distinct_id).toBe(uuidOf("weir/ga4/anonymous", "1000", "20240131", "1706695190"));
    expect(event.properties.$process_person_profile).toBe(false);
    expect(event.properties).not.toHaveProperty("$set");
    expect(firstsOf(anonymous(bare))).toEqual([]);
    const nothing = { ...bare, event_params: [], batch_page_id: null };
    expect(eventOf(anonymous(nothing)).distinct_id).not.toBe(event.distinct_id);
    expect(eventOf(anonymous(page)).distinct_id).toBe("user-1");
  });

  test("is left out where its name is dropped", () => {
    expect(map({ ...page, event_name: "session_start" })).toEqual({ leftOut: "session_start, by --drop" });
  });

  test.each([
    [{ event_name: null }, "no_event"],
    [{ event_timestamp: null }, "no_time"],
    [{ event_timestamp: "soon" }, "bad_time"],
    [{ event_timestamp: "9".repeat(30) }, "bad_time"],
  ])("is rejected: %p", (members, reason) => {
    expect(reasonOf(map, { ...page, ...members })).toBe(reason);
  });

  test("keeps integers that a number cannot hold as text", () => {
    const event_params: JsonObject[] = [
      { key: "big", value: { int_value: "9223372036854775807" } },
      { key: "zero", value: { int_value: "0" } },
      { key: "both", value: { string_value: null, int_value: null, double_value: 0 } },
    ];
    expect(eventOf(map({ ...page, event_params })).properties).toMatchObject({
      ...{ big: "9223372036854775807", zero: 0, both: 0 },
    });
  });

  test("of a device on a desk", () => {
    const device = { category: "desktop", operating_system: "Macintosh", browser: "Chrome", browser_version: "120" };
    const event = eventOf(map({ ...page, device }));
    expect(event.properties).toMatchObject({ $device_type: "Desktop", $os: "Mac OS X", $browser: "Chrome" });
    expect(objectIn(event, "$set")).toEqual({ plan: "pro" });
  });
});

test("files are known by their names", () => {
  const [stage] = ga4.stages;
  const formats = ["events_20240131.json.gz", "events-000000000000", "a/000.parquet", "notes.md"];
  expect(formats.map((file) => stage!.formatOf(file, options))).toEqual(["lines", "lines", "table", null]);
});

test("a mapping of GA4 keeps its rules, whatever a row holds", () => {
  checkMapping(map, page);
  checkMapping(mapper(ga4, { ...options, anonymous: true }, "a.parquet"), parquet, 200);
});
