import { describe, expect, test } from "bun:test";
import { checkConfig, destinationOf as serverHas } from "../../src/export/mod.ts";
import { configOf, DESTINATIONS, valuesOf, whereOf, withValue } from "../../src/web/app/pages/exports/destinations.ts";
import { draftOf, wishOf, withDestination } from "../../src/web/app/pages/exports/draft.ts";
import { rhythmOf } from "../../src/web/app/pages/exports/words.ts";

/** Something that each field takes. */
function filled(type: string) {
  const destination = DESTINATIONS.find((one) => one.type === type)!;
  const texts: Record<string, string> = { endpoint_url: "https://s3.example.com", url: "https://b.example/batch/" };
  return destination.fields.reduce(
    (values, { name, kind, isRequired }) =>
      kind === "flag"
        ? withValue(destination, values, name, true)
        : isRequired
          ? withValue(destination, values, name, texts[name] ?? "some text")
          : values,
    valuesOf(destination, null),
  );
}

describe("the form of an export", () => {
  test.each(DESTINATIONS.map(({ type }) => type))("writes a config that %s takes, and reads it again", async (type) => {
    const destination = DESTINATIONS.find((one) => one.type === type)!;
    const values = filled(type);
    const config = configOf(destination, values, false);
    const kind = (await serverHas(type))!;
    const checked = checkConfig(kind, config);
    expect(checked).toMatchObject(config);
    const secret = destination.fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    expect(secret.sort()).toEqual([...kind.secrets].sort());
    // As the API shows it: without secrets, which then stay.
    const shown = Object.fromEntries(Object.entries(checked).filter(([name]) => !secret.includes(name)));
    const again = configOf(destination, valuesOf(destination, shown), true);
    expect(Object.keys(again).filter((name) => secret.includes(name))).toEqual([]);
    expect(checkConfig(kind, { ...checked, ...again })).toMatchObject(config);
  });

  test("keeps packings that the format has", () => {
    const folder = DESTINATIONS.find(({ type }) => type === "Folder")!;
    const start = valuesOf(folder, null);
    const lines = withValue(folder, start, "file_format", "JSONLines");
    expect([start.compression, lines.compression]).toEqual(["zstd", "gzip"]);
    expect(withValue(folder, { ...lines, compression: "" }, "file_format", "Parquet").compression).toBe("");
  });

  test("exports what the destination takes, and lists of names that are there", () => {
    const draft = { ...draftOf(null), model: "persons" as const, include: "a\n\nb\n", exclude: " " };
    const http = withDestination(draft, DESTINATIONS.find(({ type }) => type === "HTTP")!);
    expect(http.model).toBe("events");
    expect(wishOf(http, null).config).toEqual({ include_events: ["a", "b"] });
    expect(wishOf(draft, null).config).not.toHaveProperty("include_events");
    const saved = { destination: { type: "HTTP", config: {} }, model: "events" } as never;
    expect(wishOf({ ...http, include: "" }, saved).config).toMatchObject({
      include_events: null,
      exclude_events: null,
    });
  });
});

test("an export is told in a line", () => {
  const to = (type: string, config: object) => whereOf({ destination: { type, config, integration: null } } as never);
  expect([
    to("S3", { bucket_name: "b", prefix: "p/{year}" }),
    to("Postgres", { host: "db", database: "d", table_name: "t" }),
    to("Folder", { path: "nightly" }),
    to("Unknown", {}),
  ]).toEqual(["b/p/{year}", "db d public.t", "nightly", ""]);
  const rhythm = (interval: string) =>
    rhythmOf({ interval, offset_day: 1, offset_hour: 3, timezone: "America/New_York" } as never);
  expect(["hour", "day", "week"].map(rhythm)).toEqual([
    "Every hour",
    "Every day, from 03:00 in America/New York",
    "Every week, from Monday 03:00 in America/New York",
  ]);
});
