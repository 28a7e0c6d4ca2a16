import { expect, test } from "bun:test";
import { Api } from "../../src/import/api/mod.ts";

test("an export ends after all that was accepted before it began, also by a clock that tells the second before", async () => {
  const begunMs = Date.now();
  const secondMs = begunMs - (begunMs % 1000);
  let looks = -1;
  await using server = Bun.serve({
    port: 0,
    fetch: () => Response.json({}, { headers: { Date: new Date(secondMs + looks++ * 1000).toUTCString() } }),
  });
  const api = new Api({ url: server.url.origin, key: "key", project: "1" });
  expect(await api.nowMs()).toBeGreaterThan(begunMs);
});
