import { expect, test } from "bun:test";
import { startWeir } from "../support/weir.ts";
import { CDNOW_BATCHES } from "./cdnowFigures.ts";

/** The same events, uuids included, in two projects: each sees and counts its own. */
test("a project sees its own events only, and duplicates are a project's own", async () => {
  await using weir = await startWeir();
  const made = await fetch(`${weir.url}/api/projects/`, {
    method: "POST",
    headers: { authorization: `Bearer ${weir.personalKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "second" }),
  });
  expect(made.status).toBe(201);
  const second = (await made.json()) as { id: number; api_token: string };
  const ask = async (project: number, path: string, body?: unknown) => {
    const response = await fetch(`${weir.url}/api/environments/${project}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${weir.personalKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response.json();
  };

  const [mine, other] = [CDNOW_BATCHES[0]!, CDNOW_BATCHES[0]!.slice(0, 10)];
  await weir.deliver(mine);
  const sent = await weir.post("/batch/", JSON.stringify({ api_key: second.api_token, batch: other }));
  expect(sent.status).toBe(200);
  await weir.waitStored();
  while (((await ask(second.id, "/ingestion_status/")) as { queued: number }).queued > 0) await Bun.sleep(50);

  for (const [project, events] of [
    [1, mine],
    [second.id, other],
  ] as const) {
    expect(await ask(project, "/ingestion_status/")).toMatchObject({ stored: events.length, duplicates: 0 });
    const persons = new Set(events.map((event) => event.distinct_id)).size;
    const query = { kind: "HogQLQuery", query: "SELECT count(), count(DISTINCT person_id) FROM events" };
    expect(await ask(project, "/query/", { query })).toMatchObject({ results: [[events.length, persons]] });
    const trends = { kind: "TrendsQuery", series: [{ kind: "EventsNode" }], dateRange: { date_from: "all" } };
    expect(await ask(project, "/query/", { query: trends })).toMatchObject({ results: [{ count: events.length }] });
  }
});
