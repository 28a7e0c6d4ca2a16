import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { askHogQL, flood, GREEDY, gzipBomb, idleUploads, slowReader } from "./attacks.ts";
import { type Bystander, besiege } from "./siege.ts";

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const QUERY_TIMEOUT_MS = 8_000;
const ENV = {
  // So that a deadline comes within a test.
  WEIR_QUERY_TIMEOUT_MS: String(QUERY_TIMEOUT_MS),
  // What a machine with 4 GB of memory has by default.
  WEIR_QUERY_MEMORY: String(1.5 * GiB),
};

let weir: Weir;
let bystander: Bystander;

beforeAll(async () => {
  weir = await startWeir({ env: ENV });
  // The attacks go to the first project, what must not suffer is another.
  const { json } = await weir.manage("POST", "/api/projects/", { name: "bystander" });
  const { id, api_token } = json as { id: number; api_token: string };
  bystander = { environmentId: id, projectKey: api_token };
  await until("the bystander's key", HANG_MS, async () => {
    const body = JSON.stringify({ api_key: api_token, event: "asked", distinct_id: "x" });
    return (await weir.post("/capture/", body)).status === 200;
  });
});
afterAll(() => weir[Symbol.asyncDispose]());

describe("while a bystander captures and asks", () => {
  const siege = (name: string, attack: () => Promise<void>) =>
    test(name, () => besiege(weir, bystander, name, attack), 300_000);

  siege("gzip bombs come in without a key", async () => {
    const statuses = await flood({
      url: `${weir.url}/batch/`,
      body: gzipBomb(6_900_000),
      requests: 29,
      connections: 4,
    });
    expect(statuses.filter((status) => ![401, 413, 429].includes(status))).toEqual([]);
  });

  siege("long bodies come to the management API without a key", async () => {
    const body = `[${"1,".repeat(2 * MiB - 100)}1]`;
    const url = `${weir.url}/api/environments/1/insights/`;
    const statuses = await flood({ url, body, requests: 30, connections: 6 });
    expect(new Set(statuses)).toEqual(new Set([401]));
  });

  siege("a query spills to disk until its deadline", async () => {
    const query = "select repeat('abcdefghij', 100000) from numbers(1000000) limit 50000";
    const begunAtMs = performance.now();
    const { code } = await askHogQL(weir, 1, query);
    expect(code).toBe("query_timeout");
    // The answer comes at the deadline, not when the last file is removed.
    expect(performance.now() - begunAtMs).toBeLessThan(10 * QUERY_TIMEOUT_MS);
  });

  siege("connections declare large bodies and send nothing", async () => {
    const sockets = await idleUploads(weir, 200, 20 * MiB - 1);
    await Bun.sleep(5_000);
    for (const socket of sockets) socket.destroy();
  });

  siege("queries take more memory than they may", async () => {
    const answers = await Promise.all(GREEDY.map((query) => askHogQL(weir, 1, query)));
    expect(answers.filter(({ status }) => status < 400)).toEqual([]);
  });

  siege("one large answer is read by many, slowly", async () => {
    const query = "select number, repeat('x', 1100) from numbers(50000) limit 50000";
    const body = { query: { kind: "HogQLQuery", query } };
    const readers = await Promise.all(
      Array.from({ length: 36 }, () => slowReader(weir, "/api/environments/1/query/", body)),
    );
    await Bun.sleep(5_000);
    for (const reader of readers) reader.destroy();
  });

  siege("queries of thousands of columns come in at once", async () => {
    const columns = Array.from({ length: 3_000 }, (_, i) => `${i} as c${i}`).join(", ");
    const ask = async (connection: number) => {
      for (let i = 0; i < 2; i++) await askHogQL(weir, 1, `select ${columns}, ${connection * 10 + i} as last`);
    };
    await Promise.all(Array.from({ length: 8 }, (_, connection) => ask(connection)));
  });

  siege("hundreds of background queries are wanted", async () => {
    const begin = (i: number) =>
      askHogQL(weir, 1, `select sum(sqrt(number)) + ${i} from numbers(20000000)`, "force_async");
    const statuses = (await Promise.all(Array.from({ length: 400 }, (_, i) => begin(i)))).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 202, 429].includes(status))).toEqual([]);
    // The bystander's own is done while the others wait.
    const other = await askHogQL(weir, bystander.environmentId, "select 1 + 1", "async");
    expect(other.status).toBeLessThan(300);
  });

  siege("events of 900 KB come in", async () => {
    const text = "x".repeat(900_000);
    for (let i = 0; i < 12; i++) {
      const events = Array.from({ length: 10 }, (_, n) => ({
        event: "wide",
        distinct_id: `wide-${i}-${n}`,
        timestamp: "2026-01-01T00:00:00Z",
        properties: { text: `${text}${i}-${n}` },
      }));
      await weir.deliver(events);
    }
    await weir.waitStored();
  });
});

test("every capture of the bystander is stored, once", async () => {
  await weir.waitStored();
  weir.environmentId = bystander.environmentId;
  const status = await weir.waitStored();
  expect(status.accepted).toBe(status.stored + status.dropped + status.duplicates + status.dead_letters);
  expect(await weir.number("select count() from events where event = 'probe'")).toBe(status.stored - 1);
});
