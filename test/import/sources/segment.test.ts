import { describe, expect, test } from "bun:test";
import { uuidOf } from "../../../src/import/mod.ts";
import { segment } from "../../../src/import/sources/segment/mod.ts";
import type { JsonObject } from "../../../src/types/mod.ts";
import { checkMapping } from "./hostile.ts";
import { eventOf, firstsOf, mapper, parsed, reasonOf } from "./map.ts";

const file = "segment-logs/abc/1706659200000/1706662800000.abc.def.gz";
const map = mapper(segment, { files: ["x"], groupType: "company" }, file);

const call = parsed({
  type: "track",
  messageId: "ajs-next-5a1b",
  anonymousId: "anon-1",
  userId: "user-1",
  event: "Order Completed",
  properties: { revenue: 12.5, products: [{ id: 1 }] },
  timestamp: "2024-01-31T10:00:00.123Z",
  originalTimestamp: "2024-01-31T10:00:01.000Z",
  sentAt: "2024-01-31T10:00:02.000Z",
  receivedAt: "2024-01-31T10:00:03.000Z",
  channel: "client",
  version: 2,
  integrations: { All: true },
  context: {
    active: true,
    app: { name: "Shop", version: "1.2", build: "33", namespace: "com.shop" },
    campaign: { source: "google", medium: "cpc", name: "winter", term: "shoes", content: "ad1" },
    device: { type: "ios", manufacturer: "Apple", model: "iPhone14,2", id: "dev-1", name: "maguro" },
    groupId: "acme",
    ip: "192.0.2.1",
    library: { name: "analytics.js", version: "2.11" },
    locale: "en-US",
    network: { bluetooth: false, carrier: "T-Mobile", cellular: true, wifi: false },
    os: { name: "iPhone OS", version: "17.1" },
    page: { url: "https://shop.com/a?b=c", path: "/a", referrer: "https://google.com/x", title: "A", search: "?b=c" },
    screen: { width: 390, height: 844, density: 3 },
    timezone: "Europe/Berlin",
    traits: { plan: "pro" },
    userAgent: "Mozilla/5.0",
  },
});

/** A call of a type, without a context. */
function of(type: string, members: JsonObject): JsonObject {
  const ids = { messageId: "m", userId: "user-1", timestamp: "2024-01-31T10:00:00Z" };
  return { type, ...ids, ...members };
}

describe("a call of Segment", () => {
  test("track keeps its name and properties, and what the context says", () => {
    const event = eventOf(map(call));
    expect(event).toMatchObject({
      uuid: uuidOf("weir/segment", "ajs-next-5a1b"),
      event: "Order Completed",
      distinct_id: "user-1",
      timestamp: "2024-01-31T10:00:00.123Z",
    });
    expect(event.properties).toEqual({
      revenue: 12.5,
      products: [{ id: 1 }],
      $ip: "192.0.2.1",
      $raw_user_agent: "Mozilla/5.0",
      $locale: "en-US",
      $timezone: "Europe/Berlin",
      $current_url: "https://shop.com/a?b=c",
      $host: "shop.com",
      $pathname: "/a",
      $referrer: "https://google.com/x",
      $referring_domain: "google.com",
      title: "A",
      $search: "?b=c",
      utm_source: "google",
      utm_medium: "cpc",
      utm_campaign: "winter",
      utm_term: "shoes",
      utm_content: "ad1",
      $os: "iOS",
      $os_version: "17.1",
      $device_type: "Mobile",
      $device_manufacturer: "Apple",
      $device_model: "iPhone14,2",
      $device_id: "dev-1",
      $device_name: "maguro",
      $app_name: "Shop",
      $app_version: "1.2",
      $app_build: "33",
      $app_namespace: "com.shop",
      $screen_width: 390,
      $screen_height: 844,
      $screen_density: 3,
      $lib: "analytics.js",
      $lib_version: "2.11",
      $network_bluetooth: false,
      $network_carrier: "T-Mobile",
      $network_cellular: true,
      $network_wifi: false,
      $groups: { company: "acme" },
      $set: { plan: "pro" },
    });
    expect(firstsOf(map(call)).map((first) => first.event.uuid)).toEqual([uuidOf("weir/identify", "user-1", "anon-1")]);
  });

  test("has the uuid that its messageId is", () => {
    const id = "0190A5B0-0000-4000-8000-0000000000AB";
    expect(eventOf(map(of("track", { event: "a", messageId: id }))).uuid).toBe(id.toLowerCase());
    const bare = map(of("track", { event: "a", messageId: null }));
    expect(bare).toHaveProperty("isNumbered", true);
    expect(map(of("track", { event: "a" }))).toHaveProperty("isNumbered", false);
  });

  test("page is a page view", () => {
    const properties = {
      url: "https://a.b/c?d",
      path: "/c",
      referrer: "https://r.s/",
      title: "T",
      search: "?d",
      own: 1,
    };
    const event = eventOf(map(of("page", { name: "Home", category: "Docs", properties })));
    expect(event).toMatchObject({ event: "$pageview" });
    expect(event.properties).toEqual({
      ...{ own: 1, name: "Home", category: "Docs", title: "T", $search: "?d" },
      ...{ $current_url: "https://a.b/c?d", $host: "a.b", $pathname: "/c" },
      ...{ $referrer: "https://r.s/", $referring_domain: "r.s" },
    });
  });

  test("screen is a screen", () => {
    const event = eventOf(map(of("screen", { name: "Cart", properties: { items: 2 } })));
    expect(event.event).toBe("$screen");
    expect(event.properties).toEqual({ items: 2, $screen_name: "Cart", name: "Cart" });
  });

  test("identify sets traits and connects both ids", () => {
    const both = map(of("identify", { anonymousId: "anon-1", traits: { email: "a@b.c" } }));
    expect(eventOf(both)).toMatchObject({ event: "$identify", distinct_id: "user-1" });
    expect(eventOf(both).properties).toEqual({ $set: { email: "a@b.c" }, $anon_distinct_id: "anon-1" });
    expect(firstsOf(both)).toEqual([]);
    const anonymous = eventOf(map(of("identify", { userId: null, anonymousId: "anon-1", traits: { a: 1 } })));
    expect(anonymous).toMatchObject({ event: "$set", distinct_id: "anon-1", properties: { $set: { a: 1 } } });
    expect(anonymous.properties).not.toHaveProperty("$anon_distinct_id");
    const same = eventOf(map(of("identify", { anonymousId: "user-1" })));
    expect(same.properties).not.toHaveProperty("$anon_distinct_id");
  });

  test("group sets the properties of a group", () => {
    const members = { groupId: "acme", anonymousId: "anon-1", traits: { name: "Acme", seats: 5 } };
    const mapped = map(of("group", members));
    expect(eventOf(mapped)).toMatchObject({ event: "$groupidentify", distinct_id: "user-1" });
    expect(eventOf(mapped).properties).toEqual({
      ...{ $group_type: "company", $group_key: "acme", $group_set: { name: "Acme", seats: 5 } },
      $groups: { company: "acme" },
    });
    expect(firstsOf(mapped)).toHaveLength(1);
    const other = mapper(segment, { files: ["x"], groupType: "account" }, file);
    expect(eventOf(other(of("group", members))).properties.$group_type).toBe("account");
    expect(reasonOf(map, of("group", {}))).toBe("no_id");
  });

  test("alias connects the id before", () => {
    const event = eventOf(map(of("alias", { previousId: "old" })));
    expect(event).toMatchObject({
      event: "$identify",
      distinct_id: "user-1",
      properties: { $anon_distinct_id: "old" },
    });
    expect(reasonOf(map, of("alias", {}))).toBe("no_id");
  });

  test.each([
    [{ timestamp: null, originalTimestamp: "2024-01-31T10:00:01Z" }, "2024-01-31T10:00:01.000Z"],
    [{ timestamp: "x", receivedAt: "2024-01-31T12:00:00+02:00" }, "2024-01-31T10:00:00.000Z"],
  ])("has its time: %p", (members, timestamp) => {
    expect(eventOf(map(of("track", { event: "a", ...members }))).timestamp).toBe(timestamp);
  });

  test.each([
    [of("track", {}), "no_event"],
    [{ ...of("track", { event: "a" }), type: null }, "no_event"],
    [of("track", { event: "a", userId: null }), "no_id"],
    [of("track", { event: "a", timestamp: null }), "no_time"],
    [of("track", { event: "a", timestamp: "soon" }), "bad_time"],
    [of("track", { event: "a", properties: "text" }), "not_an_object"],
    [of("identify", { traits: '{"a":1' }), "not_an_object"],
  ])("is rejected: %p", (row, reason) => {
    expect(reasonOf(map, row)).toBe(reason);
  });

  test("of a type that is not Segment's is left out", () => {
    expect(map(of("delete", {}))).toHaveProperty("leftOut");
    expect(map(of("constructor", {}))).toHaveProperty("leftOut");
  });
});

test("a mapping of Segment keeps its rules, whatever a row holds", () => {
  checkMapping(map, call);
  for (const type of ["page", "screen", "identify", "group", "alias"]) {
    checkMapping(map, { ...call, type, name: "n", traits: { a: 1 }, groupId: "g", previousId: "p" }, 100);
  }
});
