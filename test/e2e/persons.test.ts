import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir();
});
afterAll(() => weir[Symbol.asyncDispose]());
beforeEach(() => weir.enterFreshProject());

const DAY_MS = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

async function rows(hogql: string): Promise<unknown[][]> {
  return (await weir.query(hogql)).results;
}

test("two ids become one person: old events, properties and counts follow", async () => {
  await weir.batch([{ event: "seen", distinct_id: "anon", properties: { $set: { a: 1, b: 2 } } }]);
  await weir.batch([{ event: "seen", distinct_id: "user", properties: { $set: { b: 3 }, $browser: "Firefox" } }]);
  await weir.waitStored();
  expect(await weir.number("SELECT uniq(person_id) FROM events")).toBe(2);

  await weir.batch([
    { event: "$identify", distinct_id: "user", properties: { $anon_distinct_id: "anon", $set: { c: 4 } } },
  ]);
  await weir.waitStored();
  expect(await weir.number("SELECT uniq(person_id) FROM events")).toBe(1);
  const [[properties, isIdentified]] = (await rows("SELECT properties, is_identified FROM persons")) as [
    [string, boolean],
  ];
  expect(JSON.parse(properties)).toMatchObject({ a: 1, b: 3, c: 4, $browser: "Firefox", $initial_browser: "Firefox" });
  expect(isIdentified).toBe(true);
  expect(await rows("SELECT DISTINCT person.properties.b FROM events")).toEqual([[3]]);
});

test("history never overwrites what is newer, whenever it arrives", async () => {
  await weir.batch([{ event: "live", distinct_id: "u", properties: { $set: { plan: "new" } } }]);
  await weir.waitStored();
  const old = {
    event: "old",
    distinct_id: "u",
    timestamp: ago(30 * DAY_MS),
    properties: { $set: { plan: "old", first: 1 } },
  };
  await weir.batch([old], { historical: true });
  await weir.waitStored();
  const [[properties]] = (await rows("SELECT properties FROM persons")) as [[string]];
  expect(JSON.parse(properties)).toEqual({ plan: "new", first: 1 });
});

test("a person told by hand is there when the answer is, to the last digit, and merges what it names", async () => {
  await weir.batch([{ event: "seen", distinct_id: "second" }]);
  const body = `{
    "distinct_ids": ["first", "second"],
    "properties": {"big": 12345678901234567890, "price": 1.10,
      "text": "a\\nb \\u00e9"},
    "created_at": "2020-02-03T04:05:06Z"
  }`;
  const send = (text: string) =>
    fetch(`${weir.url}/api/environments/${weir.environmentId}/persons/`, {
      method: "POST",
      headers: { authorization: `Bearer ${weir.personalKey}` },
      body: text,
    });
  expect((await send(body)).status).toBe(201);
  const [[properties, createdAt]] = (await rows("SELECT properties, created_at FROM persons")) as [[string, string]];
  expect(properties).toContain('"big":12345678901234567890');
  expect(properties).toContain('"price":1.10');
  expect(JSON.parse(properties).text).toBe("a\nb é");
  expect(createdAt).toStartWith("2020-02-03T04:05:06");
  await weir.waitStored();
  expect(await rows("SELECT person.properties.price, person.created_at FROM events")).toEqual([[1.1, createdAt]]);
  expect((await weir.ingestionStatus()).accepted).toBe(1);

  for (const [refused, attr] of [
    ['{"properties": {}}', "distinct_ids"],
    ['{"distinct_ids": []}', "distinct_ids"],
    ['{"distinct_ids": ["a", "undefined"]}', "distinct_ids"],
    ['{"distinct_ids": ["a"], "properties": []}', "properties"],
    ['{"distinct_ids": ["a"], "created_at": "soon"}', "created_at"],
    ['{"distinct_ids": ["a"], "created_at": 0}', "created_at"],
  ]) {
    const response = await send(refused!);
    expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({ status: 400, attr });
  }
});

test("many persons are told at once; one that cannot be made costs no other", async () => {
  const told = Array.from(
    { length: 400 },
    (_, i) => `{"distinct_ids": ["p${i}", "q${i}"], "properties": {"big": 1234567890123456789${i % 10}, "n": ${i}}}`,
  );
  const send = async (persons: readonly string[]) => {
    const response = await fetch(`${weir.url}/api/environments/${weir.environmentId}/persons/batch/`, {
      method: "POST",
      headers: { authorization: `Bearer ${weir.personalKey}` },
      body: `{"persons": [${persons.join(", ")}]}`,
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await send([...told, '{"distinct_ids": []}', '{"distinct_ids": ["a", "undefined"]}'])).toMatchObject({
    status: 200,
    body: { made: 400, problems: [{ index: 400 }, { index: 401, detail: expect.stringContaining("undefined") }] },
  });
  expect(await weir.number("SELECT count() FROM persons")).toBe(400);
  expect(await weir.number("SELECT count() FROM person_distinct_ids")).toBe(800);
  const [[properties]] = (await rows("SELECT properties FROM persons WHERE properties.n = 7")) as [[string]];
  expect(properties).toContain('"big":12345678901234567897');
  expect(await send(told)).toMatchObject({ status: 200, body: { made: 400, problems: [] } });
  expect(await weir.number("SELECT count() FROM persons")).toBe(400);
  expect((await send([])).status).toBe(400);
  expect((await send(Array(501).fill(told[0]))).status).toBe(400);
});

test("groups that are told without an event stand over older events, whenever these come", async () => {
  const environment = `/api/environments/${weir.environmentId}`;
  const describe = (set: object, timestamp: string) => ({
    ...{ event: "$groupidentify", distinct_id: "u", timestamp },
    properties: { $group_type: "company", $group_key: "acme", $group_set: set },
  });
  const told = { group_type_index: 0, group_key: "acme", created_at: "2024-02-01T00:00:00Z" };
  const group = `{"group_properties": {"size": 12345678901234567890, "name": "Acme"}, ${JSON.stringify(told).slice(1)}`;
  const send = async (groups: readonly string[]) => {
    const response = await fetch(`${weir.url}${environment}/groups/batch/`, {
      method: "POST",
      headers: { authorization: `Bearer ${weir.personalKey}` },
      body: `{"groups": [${groups.join(", ")}]}`,
    });
    return { status: response.status, body: await response.json() };
  };
  const found = async () => {
    const where = `${environment}/groups/find/?group_type_index=0&group_key=acme`;
    const response = await fetch(weir.url + where, { headers: { authorization: `Bearer ${weir.personalKey}` } });
    return response.text();
  };
  expect(await send([group])).toMatchObject({ body: { made: 0, problems: [{ index: 0 }] } });
  await weir.manage("POST", `${environment}/groups_types/`, { group_types: ["company"] });
  const long = JSON.stringify({ ...told, group_key: "k".repeat(401) });
  expect(await send([group, long])).toMatchObject({ status: 200, body: { made: 1, problems: [{ index: 1 }] } });
  await weir.batch([describe({ name: "old", city: "Rome" }, "2024-01-01T00:00:00Z")], { historical: true });
  await weir.waitStored();
  const properties = '"group_properties":{"city":"Rome","name":"Acme","size":12345678901234567890}';
  expect(await found()).toContain(`${properties},"created_at":"2024-02-01T00:00:00.000Z"`);
  await weir.batch([describe({ name: "new" }, "2024-01-01T00:00:00Z")]);
  await weir.waitStored();
  expect(await found()).toContain('"name":"new"');
  await weir.manage("DELETE", `${environment}/groups/?group_type_index=0&group_key=acme`);
  expect((await send([group])).status).toBe(200);
  expect(await found()).toContain('"group_properties":{"name":"Acme","size":12345678901234567890}');
});

test("what is used is counted by day and lane, and copies are not counted", async () => {
  const live = { event: "e", distinct_id: "u", uuid: crypto.randomUUID() };
  await weir.batch([live, { event: "e", distinct_id: "u" }]);
  await weir.batch([live]);
  const history = [{ days: 10 }, { days: 3 }, { days: 1 }].map(({ days }) => ({
    event: "h",
    distinct_id: "u",
    timestamp: ago(days * DAY_MS),
  }));
  await weir.batch(history, { historical: true });
  await weir.waitStored();
  const usage = (await (await weir.api("/usage/")).json()) as { total: object; results: { date: string }[] };
  expect(usage.total).toEqual({ billable: 2, historical: 3, historical_recent: 1 });
  expect(usage.results.every(({ date }) => /^\d{4}-\d{2}-\d{2}$/.test(date))).toBe(true);
  expect((await weir.api("/usage/?date_from=yesterday")).status).toBe(400);
  expect((await weir.api("/usage/?date_from=2020-01-01&date_to=2024-01-01")).status).toBe(400);
});

test("groups: described, joined, five types, dates to the letter", async () => {
  const dates = { renewed_at: "2026-01-02T03:04:05.000Z", signed: "2020-05-06" };
  await weir.batch([
    {
      event: "$groupidentify",
      distinct_id: "u",
      properties: { $group_type: "company", $group_key: "acme", $group_set: { name: "Acme", ...dates } },
    },
  ]);
  await weir.waitStored();
  const types = ["company", "team", "shop", "region", "plan", "sixth"];
  await weir.batch([
    {
      event: "buy",
      distinct_id: "u",
      properties: { $groups: Object.fromEntries(types.map((type) => [type, `${type}-1`])) },
    },
    { event: "sell", distinct_id: "u", properties: { $groups: { company: "acme" }, $group_1: "own" } },
  ]);
  await weir.waitStored();
  const [[properties]] = (await rows("SELECT properties FROM groups")) as [[string]];
  expect(JSON.parse(properties)).toEqual({ name: "Acme", ...dates });
  expect(await rows("SELECT $group_0, $group_1, group_0.properties.name FROM events WHERE event = 'sell'")).toEqual([
    ["acme", "own", "Acme"],
  ]);
  const [[bought]] = (await rows("SELECT properties FROM events WHERE event = 'buy'")) as [[string]];
  expect(
    Object.keys(JSON.parse(bought))
      .filter((key) => key.startsWith("$group_"))
      .sort(),
  ).toEqual([0, 1, 2, 3, 4].map((index) => `$group_${index}`));
});
