import { afterEach, describe, expect, test } from "bun:test";
import { expectFailure, launchFront, NOW_MS, type RunningFront, TEAM, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
};
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d" };
describe("routes", () => {
  test("each path takes each shape", async () => {
    launch();
    const shapes = [{ api_key: TOKEN, ...EVENT }, { api_key: TOKEN, batch: [EVENT] }, [{ token: TOKEN, ...EVENT }]];
    for (const path of ["/capture", "/capture/", "/batch", "/batch/", "/batch/?_=1"]) {
      for (const shape of shapes) {
        const answer = await front.post(shape, {}, path);
        expect([path, answer.status, await answer.text()]).toEqual([path, 200, '{"status":"Ok"}']);
      }
    }
    expect(front.events()).toHaveLength(15);
    expect(front.batches[0]).toMatchObject({ teamId: TEAM, lane: "live", dropped: {} });
    expect(front.events()[0]).toMatchObject({ ...{ teamId: TEAM, event: "e", distinctId: "d" }, timestampMs: NOW_MS });
  });

  test("every path of events, with and without a slash", async () => {
    launch();
    for (const path of ["/e", "/i/v0/e", "/track", "/engage"]) {
      for (const spelling of [path, `${path}/`, `${path}?ver=1.2`]) {
        for (const shape of [
          { token: TOKEN, ...EVENT },
          { token: TOKEN, batch: [EVENT] },
        ]) {
          const answer = await front.post(shape, {}, spelling);
          expect([spelling, answer.status, await answer.text()]).toEqual([spelling, 200, '{"status":"Ok"}']);
        }
      }
    }
    expect(front.events()).toHaveLength(24);
  });

  test("only POST where it is documented so", async () => {
    launch();
    for (const path of ["/capture", "/capture/", "/batch", "/batch/"]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const answer = await fetch(front.url + path, { method });
        expect(answer.headers.get("allow")).toBe("POST");
        await expectFailure(front, answer, 405, { code: "method_not_allowed" });
      }
    }
  });

  test("GET with ?data= on paths of old libraries", async () => {
    launch();
    const data = JSON.stringify({ token: TOKEN, ...EVENT });
    for (const encoded of [data, Buffer.from(data).toString("base64")]) {
      const answer = await fetch(`${front.url}/e/?data=${encodeURIComponent(encoded)}`);
      expect(answer.status).toBe(200);
    }
    expect(front.events()).toHaveLength(2);
    expect((await fetch(`${front.url}/e/`)).status).toBe(400);
    const put = await fetch(`${front.url}/e/`, { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test("an event without a name on /engage is $identify", async () => {
    launch();
    const people = { token: TOKEN, distinct_id: "d", $set: { a: 1 } };
    await front.post(people, {}, "/engage/");
    await front.post({ ...people, event: null }, {}, "/engage/");
    await front.post({ ...people, event: "own" }, {}, "/engage/");
    await front.post(people, {}, "/e/");
    await front.post({ ...people, event: null }, {}, "/e/");
    expect(front.events().map(({ event, properties }) => [event, properties])).toEqual([
      ["$identify", '{"$set":{"a":1}}'],
      ["$identify", '{"$set":{"a":1}}'],
      ["own", '{"$set":{"a":1}}'],
    ]);
  });

  test("a time of sending that is none is left out", async () => {
    launch();
    for (const ms of [
      17,
      253_402_300_800_000,
      8_640_000_000_000_001,
      Number.MAX_SAFE_INTEGER,
      -8_640_000_000_000_001,
    ]) {
      for (const name of ["_", "sent_at"]) {
        const answer = await front.post({ token: TOKEN, ...EVENT }, {}, `/e/?${name}=${ms}`);
        expect([ms, answer.status]).toEqual([ms, 200]);
      }
    }
    await front.post({ token: TOKEN, ...EVENT }, {}, "/e/?_=253402300799999");
    expect(front.events().map(({ properties }) => properties)).toEqual([
      ...Array(10).fill("{}"),
      '{"$sent_at":"9999-12-31T23:59:59.999Z"}',
    ]);
  });

  test("a beacon wants no answer, anything else does", async () => {
    launch();
    const statusOf = async (query: string, body: object = EVENT) =>
      (await front.post({ token: TOKEN, ...body }, {}, `/e/?${query}`)).status;
    expect(await statusOf("beacon=1")).toBe(204);
    expect(await statusOf("beacon=0")).toBe(200);
    expect(await statusOf("beacon=")).toBe(200);
    expect(await statusOf("beacon=1", { event: "$performance_event", distinct_id: "d" })).toBe(200);
    for (const bad of ["beacon=yes", "_=1.5", "_=x", "sent_at=2024-01-01"]) expect(await statusOf(bad)).toBe(400);
  });

  test("the content type does not matter", async () => {
    launch();
    for (const type of ["text/plain", "application/json", "multipart/form-data", "nonsense"]) {
      const answer = await front.post(JSON.stringify({ api_key: TOKEN, ...EVENT }), { "Content-Type": type });
      expect(answer.status).toBe(200);
    }
  });
});

describe("pages of other origins", () => {
  const ORIGIN = "https://shop.example";
  test("may ask before they send", async () => {
    launch();
    for (const path of ["/e/", "/capture/", "/batch", "/i/v0/e/?compression=gzip-js", "/i/v1/analytics/events"]) {
      const answer = await fetch(front.url + path, {
        method: "OPTIONS",
        headers: {
          Origin: ORIGIN,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type,x-custom",
        },
      });
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": "content-type,x-custom",
        "access-control-allow-methods": "GET, POST, OPTIONS",
      });
    }
    const bare = await fetch(`${front.url}/e/`, { method: "OPTIONS" });
    expect([bare.status, await bare.text()]).toEqual([200, '{"status":"Ok"}']);
  });

  test("may read every answer, of a failure too", async () => {
    launch();
    for (const [body, status] of [
      [{ token: TOKEN, ...EVENT }, 200],
      ["no JSON", 400],
      [EVENT, 401],
    ] as const) {
      const answer = await front.post(body, { Origin: ORIGIN }, "/e/");
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
      expect(answer.headers.get("vary")).toBe("Origin");
    }
    const get = await fetch(`${front.url}/batch/`, { headers: { Origin: ORIGIN } });
    expect(get.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect((await front.post({ token: TOKEN, ...EVENT })).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("addresses", () => {
  const ipOf = async (trustProxy: boolean, headers: Record<string, string>, body: object = EVENT) => {
    launch({
      config: { trustProxy },
      projects: { findByToken: async () => ({ teamId: TEAM, anonymizeIps: false }) },
    });
    await front.post({ token: TOKEN, ...body }, headers);
    const { $ip } = JSON.parse(front.events()[0]!.properties) as Record<string, string>;
    await front.stop();
    return $ip;
  };
  test("are those of the connection, or what a trusted proxy says", async () => {
    const forwarded = { "X-Forwarded-For": "203.0.113.7, 10.0.0.1" };
    expect(await ipOf(false, forwarded)).toBe("127.0.0.1");
    expect(await ipOf(true, forwarded)).toBe("203.0.113.7");
    expect(await ipOf(true, {})).toBe("127.0.0.1");
  });

  test("of a history's sender are not those of its events", async () => {
    const history = (properties: object) => ({ historical_migration: true, batch: [{ ...EVENT, properties }] });
    expect(await ipOf(false, {}, history({}))).toBeUndefined();
    expect(await ipOf(false, {}, history({ $ip: "203.0.113.7" }))).toBe("203.0.113.7");
  });
});
