import { expect, test } from "bun:test";
import { startWeir } from "../support/weir.ts";
import { CDNOW_BATCHES } from "./cdnowFigures.ts";

test("a running Weir counts a cohort by behavior, and saves the people of a number", async () => {
  await using weir = await startWeir();
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${weir.url}/api/projects/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${weir.personalKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as { id: number; count: number; is_calculating: boolean; results: unknown[] };
  };
  const events = CDNOW_BATCHES[0]!;
  await weir.deliver(events);
  await weir.waitStored();

  const { event } = events[0]!;
  const persons = new Set(events.filter((one) => one.event === event).map((one) => one.distinct_id)).size;
  const did = {
    type: "behavioral",
    value: "performed_event",
    key: event,
    event_type: "events",
    explicit_datetime: "1990-01-01",
  };
  let cohort = await ask("POST", "cohorts/", { name: "did", filters: { properties: { type: "AND", values: [did] } } });
  while (cohort.is_calculating) {
    await Bun.sleep(50);
    cohort = await ask("GET", `cohorts/${cohort.id}/`);
  }
  expect(cohort).toMatchObject({ count: persons, errors_calculating: 0 });

  const trend = {
    kind: "TrendsQuery",
    series: [{ kind: "EventsNode", event, math: "dau" }],
    dateRange: { date_from: "all" },
  };
  const query = { kind: "ActorsQuery", source: { kind: "InsightActorsQuery", source: trend } };
  expect(await ask("POST", "cohorts/", { name: "saved", is_static: true, query })).toMatchObject({ count: persons });
});
