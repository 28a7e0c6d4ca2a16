import { expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const KEYS = ["plan", "Plan", "a.b", "a/b~c", '"', "*", "$x", "__proto__", "é 😀", "0", "rest"];
/** As clients write them. What is written twice, or with an exponent, is told apart in the test of what they say. */
const VALUES = [
  ...[
    '"text"',
    '""',
    '"1"',
    '"true"',
    '"null"',
    '"a\\u0062\\n\\"\\\\\\/"',
    '"\\ud83d\\ude00"',
    "true",
    "false",
    "null",
  ],
  ...["0", "-0", "1", "-5", "1.0", "10.00", "1.10", "0.010", "-2.50", "0.1", "19.99", "9007199254740993"],
  ...["9223372036854775807", "-9223372036854775808", "12345678901234567890", "0.30000000000000004"],
  ...["[]", "{}", '[1.0,"a",null]', '{"k":{"k":[true]}}', "[[[]]]"],
];

/** What a property shows as text; of objects and lists it is JSON. */
function shownAs(written: string): string | null {
  const value = JSON.parse(written) as Json;
  if (value === null) return null;
  // No double holds it.
  if (typeof value === "number") return Number.isSafeInteger(value) || written.includes(".") ? String(value) : written;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

interface Sent {
  key: string;
  /** As it was written, of equal keys the last. */
  value: string;
  body: string;
}

function eventsOf(): Sent[] {
  return KEYS.flatMap((key) =>
    VALUES.flatMap((value, i) => {
      const name = JSON.stringify(key);
      const escaped = `"${Array.from({ length: key.length }, (_, at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
      const other = VALUES[(i + 1) % VALUES.length]!;
      return [
        { key, value, body: `{"n":1,${name} : ${value} ,"m":2}` },
        { key, value, body: `{${escaped}:${value}}` },
        { key, value, body: `{${name}:${other},"n":1,${name}:${value}}` },
        { key, value, body: `{${escaped}:${other},${name}:${value}}` },
      ];
    }),
  );
}

async function expectAllShown(weir: Weir, sent: readonly Sent[]): Promise<void> {
  for (const key of KEYS) {
    const quoted = `properties['${key.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
    const { results } = await weir.query(
      `SELECT distinct_id, ${quoted}, properties FROM events WHERE event = 'odd' LIMIT 50000`,
    );
    const found = new Map(results.map(([id, value, all]) => [id, { value, all }]));
    for (const [i, { key: own, value, body }] of sent.entries()) {
      const { value: shown, all } = found.get(`d${i}`)!;
      if (own !== key) continue;
      const told = [
        body,
        typeof JSON.parse(value) === "object" && shown !== null ? JSON.stringify(JSON.parse(String(shown))) : shown,
      ];
      expect(told).toEqual([body, shownAs(value)]);
      expect(JSON.parse(String(all))).toMatchObject(JSON.parse(body));
    }
  }
}

test("odd properties show what was sent, by key and whole, before and after compaction", async () => {
  await using weir = await startWeir({ env: { WEIR_COMPACT_FANOUT: "2", WEIR_BACKFILL_MS: "0" } });
  const untyped = { extra_settings: { detect_property_types: false } };
  expect((await weir.api("/", { method: "PATCH", body: untyped })).status).toBe(200);
  const sent = eventsOf();
  // So that there are types to choose for the columns.
  const usual = Array.from({ length: 1_500 }, (_, i) => ({
    event: "usual",
    distinct_id: "u",
    properties: { plan: `p${i % 3}`, Plan: i, "a.b": i / 4, $x: i % 2 === 0 },
  }));
  for (const round of [0, 1]) {
    expect((await weir.batch(usual)).status).toBe(200);
    const half = sent.flatMap(({ body }, i) =>
      i % 2 === round ? [`{"event":"odd","distinct_id":"d${i}","properties":${body}}`] : [],
    );
    const body = `{"api_key":"${weir.projectKey}","batch":[${half.join(",")}]}`;
    expect((await weir.post("/batch/", body)).status).toBe(200);
    await weir.waitStored();
  }
  await expectAllShown(weir, sent);
  await using records = await catalogOf(weir);
  await until("compaction of all that was sent", HANG_MS, async () => {
    // Something to be merged with what is left.
    await weir.batch(usual.slice(0, 10));
    const rows: { n: unknown }[] = await records.db.read(
      (tx) =>
        tx`select count(*) as n from segments where kind = 'events' and state = 'live' and level = 0 and row_count > 100`,
    );
    return Number(rows[0]!.n) === 0;
  });
  await expectAllShown(weir, sent);
});
