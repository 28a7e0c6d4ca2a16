import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Source } from "../../../src/import/mod.ts";
import { amplitude } from "../../../src/import/sources/amplitude/mod.ts";
import { mixpanel } from "../../../src/import/sources/mixpanel/mod.ts";
import { Refused, StagingFolder } from "../../../src/import/staging/mod.ts";
import { ExportApi, linesOf, type RowsOf, zipOf } from "./exportApi.ts";

const made: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of made.splice(0)) await undo();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "weir-staging-"));
  made.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function api(rowsOf: RowsOf, profiles: object[] = []): ExportApi {
  const double = new ExportApi(rowsOf, profiles);
  made.push(() => double.close());
  return double;
}

/** Five rows a day: in another order each time, and one more with each download. */
const restless: RowsOf = (day, attempt) => {
  const rows = Array.from({ length: 4 + attempt }, (_, i) => ({
    event: "a",
    properties: { $insert_id: `${day} ${i}` },
  }));
  return attempt % 2 === 0 ? rows.reverse() : rows;
};

/** Where the sources look for them. Files of tests share their process, so they go again. */
const SECRETS = { MIXPANEL_SECRET: "secret", AMPLITUDE_API_KEY: "key", AMPLITUDE_SECRET_KEY: "secret" };
beforeAll(() => void Object.assign(process.env, SECRETS));
afterAll(() => {
  for (const name of Object.keys(SECRETS)) delete process.env[name];
});

async function stage<O>(source: Source<O>, given: Record<string, string | boolean>, path: string, stop?: AbortSignal) {
  const staging = await StagingFolder.open(path, stop ?? new AbortController().signal);
  await source.stage!(await source.read(given, []), staging);
  return staging;
}

const days = { from: "2024-01-30", to: "2024-02-01" };

function mixpanelOf(double: ExportApi, more: Record<string, string | boolean> = {}) {
  return { "mixpanel-project": "77", account: "acc", "mixpanel-host": `${double.url}/`, ...days, ...more };
}

const unpacked = (path: string) => gunzipSync(readFileSync(path)).toString("utf8");

const again = (text = "slow down", status = 429) => new Response(text, { status, headers: { "retry-after": "0" } });

describe("Mixpanel's APIs", () => {
  test("are asked day by day, with milliseconds, and page by page", async () => {
    const profiles = [1, 2, 3, 4, 5].map((id) => ({ $distinct_id: id, $properties: {} }));
    const double = api(restless, profiles);
    const staging = await stage(mixpanel, mixpanelOf(double), folder());
    expect(staging.parts.map(({ name }) => name)).toEqual([
      "events-2024-01-30.jsonl.gz",
      "events-2024-01-31.jsonl.gz",
      "events-2024-02-01.jsonl.gz",
      "profiles.jsonl.gz",
    ]);
    expect(double.requests.slice(0, 2)).toEqual([
      "/api/2.0/export?from_date=2024-01-30&to_date=2024-01-30&project_id=77&time_in_ms=true",
      "/api/2.0/export?from_date=2024-01-31&to_date=2024-01-31&project_id=77&time_in_ms=true",
    ]);
    expect([...double.authorizations]).toEqual([`Basic ${btoa("acc:secret")}`]);
    expect(unpacked(staging.path("events-2024-01-30.jsonl.gz"))).toBe(linesOf(restless("2024-01-30", 1)));
    expect(unpacked(staging.path("profiles.jsonl.gz"))).toBe(linesOf(profiles));
  });

  test("are asked for more days at once, and for events alone", async () => {
    const double = api(restless);
    const more = { "days-per-file": "2", "no-profiles": true };
    const staging = await stage(mixpanel, mixpanelOf(double, more), folder());
    expect(staging.parts.map(({ name }) => name)).toEqual([
      "events-2024-01-30_2024-01-31.jsonl.gz",
      "events-2024-02-01.jsonl.gz",
    ]);
  });

  test("are asked again after 429, 5xx and answers that end early", async () => {
    const double = api(restless, [{ $distinct_id: 1 }]);
    const whole = linesOf(restless("2024-01-31", 1));
    const cut = (bytes: string) => new Response(bytes);
    double.behave("2024-01-30", (attempt) => (attempt <= 2 ? again() : null));
    double.behave("2024-01-31", (attempt) => {
      if (attempt === 1) return cut(whole.slice(0, -10));
      return attempt === 2 ? cut(`${whole}terminated early\n`) : null;
    });
    double.behave("2024-02-01", (attempt) => (attempt === 1 ? again("", 503) : null));
    double.behave("page 0", (attempt) => (attempt === 1 ? again() : null));
    const staging = await stage(mixpanel, mixpanelOf(double), folder());
    expect(["2024-01-30", "2024-01-31", "2024-02-01", "page 0"].map((range) => double.attemptsOf(range))).toEqual([
      ...[3, 3, 2, 2],
    ]);
    expect(unpacked(staging.path("events-2024-01-31.jsonl.gz"))).toBe(linesOf(restless("2024-01-31", 3)));
  });

  test("are asked again where a connection breaks within an answer", async () => {
    const double = api(restless);
    double.behave("2024-01-30", (attempt) => (attempt === 1 ? broken(linesOf(restless("2024-01-30", 1))) : null));
    const staging = await stage(mixpanel, mixpanelOf(double, { "no-profiles": true }), folder());
    expect(double.attemptsOf("2024-01-30")).toBe(2);
    expect(unpacked(staging.path("events-2024-01-30.jsonl.gz"))).toBe(linesOf(restless("2024-01-30", 2)));
  });

  test("are asked again where a packed answer ends early", async () => {
    const double = api(restless);
    const packed = gzipSync(linesOf(restless("2024-01-30", 1)));
    const headers = { "content-encoding": "gzip" };
    double.behave(
      "2024-01-30",
      (attempt) => new Response(attempt === 1 ? packed.subarray(0, 60) : packed, { headers }),
    );
    const staging = await stage(mixpanel, mixpanelOf(double, { "no-profiles": true }), folder());
    expect(double.attemptsOf("2024-01-30")).toBe(2);
    expect(unpacked(staging.path("events-2024-01-30.jsonl.gz"))).toBe(linesOf(restless("2024-01-30", 1)));
  });

  test("tell what is waited for", async () => {
    const double = api(restless);
    double.behave("2024-01-30", (attempt) =>
      attempt === 1 ? new Response("", { status: 429, headers: { "retry-after": "2" } }) : null,
    );
    const told: unknown[] = [];
    const { signal } = new AbortController();
    const staging = await StagingFolder.open(folder(), signal, (...what) => told.push(what));
    await mixpanel.stage!(await mixpanel.read(mixpanelOf(double, { "no-profiles": true }), []), staging);
    expect(told.slice(0, 3)).toEqual([
      [0, 3, null],
      [0, 3, "Mixpanel: it answers 429; again in 2 s"],
      [0, 3, null],
    ]);
    expect(told[told.length - 1]).toEqual([3, 3, null]);
  });

  test("that refuse the key end the import with their answer", async () => {
    const double = api(restless);
    double.behave("2024-01-31", () => new Response('{"error": "Invalid credentials"}', { status: 401 }));
    const path = folder();
    const failed = stage(mixpanel, mixpanelOf(double), path);
    await expect(failed).rejects.toThrow("Mixpanel refuses the key (401)");
    await expect(failed).rejects.toBeInstanceOf(Refused);
    expect(double.attemptsOf("2024-01-31")).toBe(1);
    expect(readdirSync(path).sort()).toEqual(["events-2024-01-30.jsonl.gz", "parts.jsonl"]);
  });

  test("are not asked for what is there: a day keeps the bytes of its first download", async () => {
    const double = api(restless);
    const path = folder();
    const stop = new AbortController();
    double.behave("2024-02-01", () => {
      stop.abort();
      return new Response("");
    });
    await expect(stage(mixpanel, mixpanelOf(double), path, stop.signal)).rejects.toThrow();
    double.behave("2024-02-01", () => null);
    const before = unpacked(join(path, "events-2024-01-30.jsonl.gz"));
    const staging = await stage(mixpanel, mixpanelOf(double), path);
    expect(double.attemptsOf("2024-01-30")).toBe(1);
    expect(unpacked(staging.path("events-2024-01-30.jsonl.gz"))).toBe(before);
    expect(staging.parts).toHaveLength(4);
  });

  test.each([
    ["us", "https://data.mixpanel.com", "https://mixpanel.com"],
    ["eu", "https://data-eu.mixpanel.com", "https://eu.mixpanel.com"],
    ["in", "https://data-in.mixpanel.com", "https://in.mixpanel.com"],
  ])("are in the region %p", async (region, dataUrl, queryUrl) => {
    const { api } = await mixpanel.read({ account: "a", "mixpanel-project": "1", ...days, region }, []);
    expect(api).toMatchObject({ dataUrl, queryUrl });
  });

  test.each([
    [{}, "--account"],
    [{ account: "a", "mixpanel-project": "1", from: "2024-01-32", to: "2024-02-01" }, "--from"],
    [{ account: "a", "mixpanel-project": "1", from: "2024-01-30" }, "--to"],
    [{ account: "a", "mixpanel-project": "1", ...days, region: "mars" }, "--region"],
    [{ account: "a", "mixpanel-project": "1", ...days, "days-per-file": "0" }, "--days-per-file"],
    [{ account: "a", "mixpanel-project": "1", from: "2024-02-01", to: "2024-01-31" }, "--from is after --to"],
    [{ account: "a", "mixpanel-project": "1", ...days, "mixpanel-host": "nowhere" }, "--mixpanel-host"],
    [{ account: "a", "mixpanel-project": "1", ...days, "source-timezone": "Mars/Base" }, "Mars/Base"],
  ])("refuse %p", (given, message) => {
    expect(() => mixpanel.read(given as Record<string, string>, [])).toThrow(message);
  });

  test("has options that files do not have", () => {
    const refusal = "--region is for the API, not for files";
    for (const source of [mixpanel, amplitude]) expect(() => source.read({ region: "eu" }, ["file"])).toThrow(refusal);
    expect(mixpanel.read(days, ["file"])).toMatchObject({ files: ["file"], api: null });
  });
});

const amplitudeRows: RowsOf = (day) =>
  day === "2024-01-31"
    ? []
    : [
        { event_type: "a", day },
        { event_type: "b", day },
      ];

describe("Amplitude's API", () => {
  test("is asked day by day; a day without uploads is an empty zip", async () => {
    const double = api(amplitudeRows);
    const staging = await stage(amplitude, { ...days, "amplitude-host": double.url }, folder());
    expect(staging.parts.map(({ name }) => name)).toEqual(["2024-01-30.zip", "2024-01-31.zip", "2024-02-01.zip"]);
    expect(double.requests[0]).toBe("/api/2/export?start=20240130T00&end=20240130T23");
    expect([...double.authorizations]).toEqual([`Basic ${btoa("key:secret")}`]);
    expect(readFileSync(staging.path("2024-01-31.zip"))).toEqual(zipOf([]));
  });

  test.each([
    ["us", "https://amplitude.com"],
    ["eu", "https://analytics.eu.amplitude.com"],
  ])("is in the region %p", async (region, url) => {
    expect((await amplitude.read({ ...days, region }, [])).api).toMatchObject({ url });
  });

  test("is asked hour by hour where a day is too large", async () => {
    const double = api(amplitudeRows);
    double.behave("20240130", () => new Response("The file size is over 4GB", { status: 400 }));
    const given = { from: "2024-01-30", to: "2024-01-30", "amplitude-host": double.url };
    const staging = await stage(amplitude, given, folder());
    expect(staging.parts).toHaveLength(24);
    expect(double.requests).toContain("/api/2/export?start=20240130T05&end=20240130T05");
  });

  test("is asked again where a zip ends early", async () => {
    const double = api(amplitudeRows);
    const whole = zipOf([["a.json.gz", Buffer.from("{}")]]);
    double.behave("20240130", (attempt) => (attempt === 1 ? new Response(whole.subarray(0, whole.length / 2)) : null));
    const given = { from: "2024-01-30", to: "2024-01-30", "amplitude-host": double.url };
    await stage(amplitude, given, folder());
    expect(double.attemptsOf("20240130")).toBe(2);
  });
});

describe("a staging folder", () => {
  const write = (text: string) => async (path: string) => writeFileSync(path, text);
  const never = async () => {
    throw new Error("written again");
  };

  test("writes a part once, also after a kill", async () => {
    const path = folder();
    const { signal } = new AbortController();
    const first = await StagingFolder.open(path, signal);
    await first.part("a.jsonl", write("one"));
    await first.part("a.jsonl", never);
    await expect(first.part("b.jsonl", never)).rejects.toThrow("written again");
    // What a kill may leave: half a file, a file that is not listed, half a line of the list.
    writeFileSync(join(path, ".b.jsonl.partial"), "ha");
    writeFileSync(join(path, "b.jsonl"), "half");
    writeFileSync(join(path, "parts.jsonl"), `${readFileSync(join(path, "parts.jsonl"), "utf8")}{"name":"b.js`);
    const second = await StagingFolder.open(path, signal);
    await second.part("a.jsonl", never);
    await second.part("b.jsonl", write("two"));
    const third = await StagingFolder.open(path, signal);
    await third.part("b.jsonl", never);
    expect(third.parts.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
      ["a.jsonl", 3],
      ["b.jsonl", 3],
    ]);
  });

  test("writes a part again that was changed since", async () => {
    const path = folder();
    const staging = await StagingFolder.open(path, new AbortController().signal);
    await staging.part("a.jsonl", write("one"));
    writeFileSync(join(path, "a.jsonl"), "eno");
    await staging.part("a.jsonl", write("two"));
    expect(readFileSync(join(path, "a.jsonl"), "utf8")).toBe("two");
  });
});

/** An answer whose connection breaks after half of it. */
function broken(text: string): Response {
  let sent = false;
  const body = new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new Error("broken"));
      else controller.enqueue(Buffer.from(text.slice(0, text.length / 2)));
      sent = true;
    },
  });
  return new Response(body);
}
