import { describe, expect, test } from "bun:test";
import { Properties } from "../../../src/import/mapping/mod.ts";
import { uuidOf } from "../../../src/import/mod.ts";
import { datumOf, noData, revenueOf } from "../../../src/import/sources/umami/eventData.ts";
import { umami } from "../../../src/import/sources/umami/mod.ts";
import type { UmamiOptions } from "../../../src/import/sources/umami/options.ts";
import type { Json, JsonObject } from "../../../src/types/mod.ts";
import { checkMapping } from "./hostile.ts";
import { eventOf, firstsOf, mapper, objectIn, parsed, reasonOf } from "./map.ts";

const options: UmamiOptions = { files: ["x"], s3Endpoint: undefined, website: null, data: noData };
const map = mapper(umami, options, "website_event.csv");

/** As the table is exported: every column is text. */
const view = parsed({
  website_id: "6cab8d4c-c109-484d-be07-d16ee8ad45fc",
  session_id: "6637bfea-6dbf-5187-addc-9c7fefcb64ab",
  visit_id: "11380cab-5189-41d2-99bb-966832ef7e3a",
  event_id: "D99EA49B-9d72-4caa-8047-8a11b1ca09b1",
  hostname: "shop.com",
  browser: "safari",
  os: "Windows 10",
  device: "laptop",
  screen: "1470x956",
  language: "en-GB",
  country: "BD",
  region: "BD-C",
  city: "Mirpur",
  url_path: "/a",
  url_query: "b=c",
  utm_source: "google",
  utm_medium: "cpc",
  utm_campaign: "winter",
  utm_content: "ad1",
  utm_term: "shoes",
  referrer_path: "/x",
  referrer_query: "y=z",
  referrer_domain: "google.com",
  page_title: "A",
  gclid: "g1",
  fbclid: "",
  msclkid: "m1",
  ttclid: "t1",
  li_fat_id: "l1",
  twclid: "w1",
  event_type: "1",
  event_name: "",
  tag: "beta",
  distinct_id: "",
  created_at: "2023-06-02 14:55:06",
  job_id: "00000000-0000-0000-0000-000000000000",
});

describe("a row of Umami's website_event", () => {
  test("keeps every column of the table", () => {
    const event = eventOf(map(view));
    expect(event).toMatchObject({
      uuid: "d99ea49b-9d72-4caa-8047-8a11b1ca09b1",
      event: "$pageview",
      distinct_id: "6637bfea-6dbf-5187-addc-9c7fefcb64ab",
      timestamp: "2023-06-02T14:55:06.000Z",
    });
    expect(event.properties).toEqual({
      $host: "shop.com",
      $pathname: "/a",
      $current_url: "https://shop.com/a?b=c",
      $referrer: "https://google.com/x?y=z",
      $referring_domain: "google.com",
      title: "A",
      $browser: "Safari",
      $os: "Windows",
      $os_version: "10",
      $device_type: "Desktop",
      $screen_width: 1470,
      $screen_height: 956,
      $browser_language: "en-GB",
      $geoip_country_code: "BD",
      $geoip_country_name: "Bangladesh",
      $geoip_subdivision_1_code: "C",
      $geoip_city_name: "Mirpur",
      utm_source: "google",
      utm_medium: "cpc",
      utm_campaign: "winter",
      utm_content: "ad1",
      utm_term: "shoes",
      gclid: "g1",
      msclkid: "m1",
      ttclid: "t1",
      li_fat_id: "l1",
      twclid: "w1",
      tag: "beta",
      $session_id: "11380cab-5189-41d2-99bb-966832ef7e3a",
      $umami_website_id: "6cab8d4c-c109-484d-be07-d16ee8ad45fc",
    });
  });

  test("is of whom umami.identify names, and connects the session", () => {
    const mapped = map({ ...view, distinct_id: "user-1" });
    expect(eventOf(mapped).distinct_id).toBe("user-1");
    const [first] = firstsOf(mapped);
    expect(first!.event.uuid).toBe(uuidOf("weir/identify", "user-1", String(view.session_id)));
    expect(firstsOf(map(view))).toEqual([]);
  });

  test.each([
    [{ event_type: "2", event_name: "signup" }, "signup"],
    [{ event_type: 2, event_name: "signup" }, "signup"],
    [{ event_type: 1, event_name: "odd" }, "$pageview"],
    [{ event_type: "", event_name: "signup" }, "signup"],
    [{ event_type: "", event_name: "" }, "$pageview"],
  ])("has its name: %p", (members, name) => {
    expect(eventOf(map({ ...view, ...members })).event).toBe(name);
  });

  test.each([
    ["2023-06-02T14:55:06.123Z", "2023-06-02T14:55:06.123Z"],
    ["2023-06-02 14:55:06.123456+00", "2023-06-02T14:55:06.123Z"],
    ["2023-06-02 16:55:06+02:00", "2023-06-02T14:55:06.000Z"],
  ])("has its time: %p", (created_at, timestamp) => {
    expect(eventOf(map({ ...view, created_at })).timestamp).toBe(timestamp);
  });

  test.each([
    [{ referrer_domain: "", referrer_path: "/before", referrer_query: "" }, "https://shop.com/before", "shop.com"],
    [
      { referrer_domain: "", referrer_path: "android-app://com.google/", referrer_query: "" },
      "android-app://com.google/",
      "com.google",
    ],
    [{ referrer_domain: "r.s", referrer_path: "", referrer_query: "?q" }, "https://r.s?q", "r.s"],
    [{ referrer_domain: "", referrer_path: "", referrer_query: "" }, undefined, undefined],
  ])("has the page before: %p", (members, referrer, domain) => {
    const { properties } = eventOf(map({ ...view, ...members }));
    expect([properties.$referrer, properties.$referring_domain]).toEqual([referrer, domain]);
  });

  test.each([
    [{ event_id: "" }, "bad_id"],
    [{ session_id: "", distinct_id: "" }, "no_id"],
    [{ created_at: "" }, "no_time"],
    [{ created_at: "now" }, "bad_time"],
    [{ event_type: "2", event_name: "" }, "no_event"],
  ])("is rejected: %p", (members, reason) => {
    expect(reasonOf(map, { ...view, ...members })).toBe(reason);
  });

  test("of another website is left out", () => {
    const one = mapper(umami, { ...options, website: "other" }, "website_event.csv");
    expect(one(view)).toEqual({ leftOut: "of another website" });
    const same = mapper(umami, { ...options, website: String(view.website_id) }, "website_event.csv");
    expect(same(view)).toHaveProperty("event");
  });

  test("has the properties of its event_data", () => {
    const data = (id: string) => new Properties({ id, tag: "own", price: 9.5 });
    const event = eventOf(mapper(umami, { ...options, data }, "a.csv")(view));
    expect(event.properties).toMatchObject({ id: String(view.event_id), tag: "own", price: 9.5 });
  });
});

describe("a row of Umami's event_data", () => {
  const row = { website_event_id: "e1", data_key: "k", string_value: "", number_value: "", date_value: "" };
  test.each([
    [{ data_type: "1", string_value: "text" }, "text"],
    [{ data_type: "2", string_value: "29.9900", number_value: "29.9900" }, 29.99],
    [{ data_type: "2", string_value: "29.9900" }, 29.99],
    [{ data_type: "3", string_value: "true" }, true],
    [{ data_type: "3", string_value: "false" }, false],
    [{ data_type: "4", date_value: "2024-01-31 10:00:00+00" }, "2024-01-31T10:00:00.000Z"],
    [{ data_type: "4", string_value: "2024-01-31T10:00:00Z" }, "2024-01-31T10:00:00.000Z"],
    [{ data_type: "5", string_value: '["a",1]' }, ["a", 1]],
    [{ data_type: "5", string_value: "[broken" }, "[broken"],
    [{ data_type: "", string_value: "text" }, "text"],
  ] as [JsonObject, Json][])("%p", (members, value) => {
    expect(datumOf({ ...row, ...members })).toEqual({ eventId: "e1", key: "k", value });
  });

  test("that says nothing is none", () => {
    expect(datumOf({ ...row, data_type: "1" })).toBeNull();
    expect(datumOf({ ...row, data_type: "1", string_value: "a", data_key: "" })).toBeNull();
    expect(datumOf({ ...row, data_type: "1", string_value: "a", website_event_id: null })).toBeNull();
  });
});

describe("a row of Umami's session_data", () => {
  const mapData = mapper(umami, options, "session_data.csv");
  const row = {
    session_data_id: "3f2b7a52-93a2-4a60-8a2f-2f1a6a2a0001",
    website_id: "w1",
    session_id: "s1",
    data_key: "plan",
    string_value: "pro",
    number_value: "",
    date_value: "",
    data_type: "1",
    created_at: "2024-01-31 10:00:00+00",
  };

  test("is a property of its visitor", () => {
    const event = eventOf(mapData(row));
    expect(event).toMatchObject({ event: "$set", distinct_id: "s1", timestamp: "2024-01-31T10:00:00.000Z" });
    expect(event.properties).toEqual({ $set: { plan: "pro" }, $umami_website_id: "w1" });
    expect(eventOf(mapData({ ...row })).uuid).toBe(event.uuid);
    expect(eventOf(mapData({ ...row, string_value: "free" })).uuid).not.toBe(event.uuid);
    // Umami Cloud has no ids of these rows.
    expect(eventOf(mapData({ ...row, session_data_id: "" })).uuid).toBe(event.uuid);
    const number = { ...row, data_type: "2", string_value: "5.0000", number_value: "5.0000" };
    expect(objectIn(eventOf(mapData(number)), "$set")).toEqual({ plan: 5 });
    const named = mapData({ ...row, distinct_id: "user-1" });
    expect(eventOf(named).distinct_id).toBe("user-1");
    expect(firstsOf(named)[0]!.event.uuid).toBe(uuidOf("weir/identify", "user-1", "s1"));
  });

  test.each([
    [{ session_id: "" }, "no_id"],
    [{ created_at: "" }, "no_time"],
  ])("is rejected: %p", (members, reason) => {
    expect(reasonOf(mapData, { ...row, ...members })).toBe(reason);
  });

  test("that says nothing, or is of another website, is left out", () => {
    expect(mapData({ ...row, string_value: "" })).toEqual({ leftOut: "says nothing" });
    const other = mapper(umami, { ...options, website: "w2" }, "session_data.csv");
    expect(other(row)).toEqual({ leftOut: "of another website" });
  });

  test("keeps the rules of mappings, whatever it holds", () => {
    checkMapping(mapData, row, 200);
  });
});

test("a row of Umami's revenue has properties of its event", () => {
  const row = { revenue_id: "r1", event_id: "e1", event_name: "bought", currency: "EUR", revenue: "29.9900" };
  expect(revenueOf(row)).toEqual([
    { eventId: "e1", key: "revenue", value: 29.99 },
    { eventId: "e1", key: "currency", value: "EUR" },
  ]);
  expect(revenueOf({ ...row, revenue: "" })).toEqual([]);
  expect(revenueOf({ ...row, event_id: null })).toEqual([]);
});

test("tables are told apart by the names of their files", () => {
  const formats = (file: string) => umami.stages.map((stage) => stage.formatOf(file, options));
  expect(formats("/session_data/website_event.csv")).toEqual([null, "table"]);
  expect(formats("umami_session_data.csv.gz")).toEqual(["table", null]);
  for (const file of ["event_data.csv", "revenue.csv", "website.md"]) expect(formats(file)).toEqual([null, null]);
});

test("a mapping of Umami keeps its rules, whatever a row holds", () => {
  checkMapping(map, view);
});
