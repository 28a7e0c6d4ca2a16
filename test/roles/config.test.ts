import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";

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
