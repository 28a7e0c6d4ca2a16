import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { EVENT_MAX_BYTES } from "../../src/stream/publish/parts.ts";

const refusal = (env: Record<string, string>): unknown => {
  try {
    loadConfig(env);
    return null;
  } catch (error) {
    return error;
  }
};

describe("the environment", () => {
  test("that is no number or too small is refused by name", () => {
    for (const value of ["many", "1.5", "-1", "1e999"]) {
      expect(refusal({ WEIR_FLUSH_MAX_EVENTS: value })).toMatchObject({
        code: "invalid_setting",
        message: expect.stringContaining("WEIR_FLUSH_MAX_EVENTS"),
      });
    }
    expect(refusal({ WEIR_FLUSH_MAX_EVENTS: "" })).toBeNull();
  });

  test("that is too large, or an address of another kind, is refused by name, and no password is shown", () => {
    const wrong = {
      ...{
        WEIR_PORT: "65536",
        WEIR_PARTITIONS: "1025",
        DATABASE_URL: "mysql://u:secret@h/db",
        WEIR_SMTP_URL: "secret",
      },
      NATS_URL: "nats://secret@h:4222,foo://secret@h:4222",
    };
    for (const [name, value] of Object.entries(wrong)) {
      const error = refusal({ [name]: value }) as Error;
      expect(error.message).toContain(name);
      expect(error.message).not.toContain("secret");
      expect(error).toMatchObject({ code: "invalid_setting" });
    }
    const right = {
      ...{
        WEIR_PORT: "65535",
        WEIR_PARTITIONS: "1024",
        DATABASE_URL: "postgresql://h/db",
        WEIR_SMTP_URL: "smtps://h:465",
      },
      NATS_URL: "nats://a:4222, tls://b:4222",
    };
    expect(refusal(right)).toBeNull();
  });

  test("that would end a timer at once, use the stack up or take all memory is refused by name", () => {
    const least = {
      ...{ WEIR_QUERY_TIMEOUT_MS: 1e9, WEIR_QUERY_PARSE_TIMEOUT_MS: 1e9, WEIR_COMPACT_MS: 1e9, WEIR_LEASE_TTL_MS: 1e9 },
      ...{ WEIR_FRAME_LINGER_MS: 1e9, WEIR_JSON_MAX_DEPTH: 1_000, WEIR_OVERFLOW_IDS_MAX: 2 ** 20 },
      WEIR_FRAME_MAX_BYTES: EVENT_MAX_BYTES,
    };
    for (const [name, value] of Object.entries(least)) {
      expect(refusal({ [name]: String(value) })).toBeNull();
      expect(refusal({ [name]: String(value + 1) })).toMatchObject({
        code: "invalid_setting",
        message: expect.stringContaining(`${name} must be an integer from`),
      });
    }
  });

  test("that leaves a query process without memory is refused", () => {
    const sizes = { WEIR_QUERY_MEMORY: String(40 * 1024 ** 2), WEIR_QUERY_PROCESSES: "4" };
    expect(refusal(sizes)).toBeNull();
    expect(refusal({ ...sizes, WEIR_QUERY_PROCESSES: "5" })).toMatchObject({
      code: "invalid_setting",
      message: expect.stringContaining("WEIR_QUERY_PROCESSES of 5 needs"),
    });
  });

  test("that says how a NATS elsewhere is reached needs its address", () => {
    const settings = { WEIR_STREAM_REPLICAS: "3", WEIR_NATS_CA: "/ca.pem", WEIR_NATS_CREDS: "/weir.creds" };
    for (const [name, value] of Object.entries(settings)) {
      const error = refusal({ [name]: value }) as Error;
      expect(error.message).toBe(`${name} needs NATS_URL, and there is none`);
      expect(refusal({ [name]: value, NATS_URL: "tls://h:4222" })).toBeNull();
    }
  });

  test("that turns something on or off is 1 or 0, and nothing else", () => {
    const switches = [
      ["WEIR_NATS_SYNC_ALWAYS", "natsSyncAlways"],
      ["WEIR_TRUST_PROXY", "trustProxy"],
      ["WEIR_RATE_LIMITS", "rateLimits"],
      ["WEIR_EXPORT_ALLOW_PRIVATE", "exportAllowPrivate"],
      ["WEIR_COMPACT_PERSON_ROWS", "compactPersonRows"],
      ["WEIR_ALERTS", "alerts"],
      ["WEIR_TEST_CLOCK", "testClock"],
    ] as const;
    for (const [name, key] of switches) {
      expect(loadConfig({ [name]: "1" })[key]).toBe(true);
      expect(loadConfig({ [name]: "0" })[key]).toBe(false);
      expect(loadConfig({ [name]: "" })[key]).toBe(loadConfig({})[key]);
      for (const value of ["true", "false", "no", "7"]) {
        expect(refusal({ [name]: value })).toMatchObject({
          code: "invalid_setting",
          message: expect.stringContaining(name),
        });
      }
    }
  });

  test("that lets history wait for ever, since files that fit into memory are too few to merge, is refused", () => {
    const flushes = { WEIR_FLUSH_MAX_EVENTS: "300000" };
    expect(refusal(flushes)).toMatchObject({
      code: "invalid_setting",
      message: expect.stringContaining("WEIR_DUPLICATE_KEYS_MAX must be at least 4800000"),
    });
    expect(refusal({ ...flushes, WEIR_DUPLICATE_KEYS_MAX: "4800000" })).toBeNull();
    expect(refusal({ ...flushes, WEIR_COMPACT_FANOUT: "6" })).toBeNull();
  });
});
