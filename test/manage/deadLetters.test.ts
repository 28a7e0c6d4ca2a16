import { expect, test } from "bun:test";
import { startManage } from "../support/manage.ts";

test("a dead letter shows the event as it was sent: properties are an object, numbers are as they were written", async () => {
  const server = await startManage();
  try {
    const properties = '{"plan":"team","n":12345678901234567890.5,"deep":{"a":[1,"<b>"]}}';
    const event = { uuid: crypto.randomUUID(), event: "paid", distinctId: "ada", timestampMs: 0, properties };
    const row = { team_id: 1, generation: 1, lane: "live", partition_id: 0, frame_index: 0, at_ms: 5 };
    const rows = [
      { ...row, sequence: 1, reason: "unreadable", detail: "cut off", event: "" },
      { ...row, sequence: 2, reason: "actor_failed", detail: "not this one", event: JSON.stringify(event) },
    ];
    await server.db.write((tx) => tx`insert into dead_letters ${tx(rows)}`);
    const reply = await server.send("GET", "/api/environments/1/dead_letters/");
    const { results } = reply.json as { results: { event: Record<string, unknown> | null }[] };
    expect(results.map(({ event }) => event?.event)).toEqual(["paid", undefined]);
    expect(results[0]!.event).toMatchObject({
      distinct_id: "ada",
      properties: { plan: "team", deep: { a: [1, "<b>"] } },
    });
    expect(reply.text).toContain('"n":12345678901234567890.5');
    const csv = await server.send("GET", "/api/environments/1/dead_letters/?format=csv");
    expect([csv.status, csv.text.split("\n").length]).toEqual([200, 4]);
  } finally {
    await server.stop();
  }
});
