import { expect, test } from "bun:test";
import { detectType } from "../../src/runtime/definitionScan.ts";
import type { PropertyType } from "../../src/types/mod.ts";

const NOW = Date.parse("2026-01-15T12:00:00Z");

test.each<[string, unknown, PropertyType | null]>([
  ["a", "x", "String"],
  ["a", "", "String"],
  ["a", "5", "String"],
  ["a", 5, "Numeric"],
  ["a", -1.5e300, "Numeric"],
  ["a", true, "Boolean"],
  ["a", false, "Boolean"],
  ["a", " true ", "Boolean"],
  ["a", "FALSE", "Boolean"],
  ["a", "True", "String"],
  ["a", null, null],
  ["a", [1], null],
  ["a", { b: 1 }, null],
  // Dates, whatever the name.
  ["a", "2024-02-29", "DateTime"],
  ["a", "2024/02/29", "DateTime"],
  ["a", "29-02-2024 10:11:12", "DateTime"],
  ["a", "2024-02-29T10:11:12.5Z", "DateTime"],
  ["a", "2024-02-29 10:11:12+05:30", "DateTime"],
  ["a", "Thu, 29 Feb 2024 10:11:12 +0000", "DateTime"],
  ["a", "2024-02-29 is a day", "String"],
  ["a", "2024-99-29", "String"],
  ["a", "\\u0032024", "String"],
  // Numbers are times where the name says so, and they are not old.
  ["created_at", 1_768_000_000, "DateTime"],
  ["Timestamp", 1_768_000_000_000, "DateTime"],
  ["updated-at", 1_768_000_000.5, "Numeric"],
  ["time", 12, "Numeric"],
  ["date", -1_768_000_000, "Numeric"],
  ["price", 1_768_000_000, "Numeric"],
  // Always texts.
  ["utm_campaign", 5, "String"],
  ["$initial_utm_source", "2024-02-29", "String"],
  ["$feature/new", true, "String"],
  ["$feature_flag_response", false, "String"],
  ["$feature_flag_responses", false, "Boolean"],
  ["$survey_response_2", 7, "String"],
])("%s: %j is %p", (name, value, type) => {
  expect(detectType(name, JSON.stringify(value), NOW)).toBe(type);
});
