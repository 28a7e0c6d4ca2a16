import { afterEach, describe, expect, test } from "bun:test";
import { expectFailure, launchFront, type RunningFront, TOKEN } from "./launch.ts";

let front: RunningFront;
const launch = (...overrides: Parameters<typeof launchFront>) => {
  front = launchFront(...overrides);
};
afterEach(() => front.stop());

const EVENT = { event: "e", distinct_id: "d" };
describe("keys", () => {
  test("where they are looked for", async () => {
    launch();
    for (const body of [
      { token: TOKEN, ...EVENT },
      { $token: TOKEN, ...EVENT },
      { api_key: ` ${TOKEN} `, ...EVENT },
      { ...EVENT, properties: { token: TOKEN } },
      { token: TOKEN, ...EVENT, properties: { token: "another" } },
      { token: TOKEN, batch: [{ ...EVENT, token: "another" }] },
      [EVENT, { ...EVENT, token: TOKEN }, { ...EVENT, properties: { token: TOKEN } }, 5],
    ]) {
      expect([body, (await front.post(body)).status]).toEqual([body, 200]);
    }
  });

  test("one key in several spellings is one", async () => {
    launch();
    const spelled = ["phc_test", "\\u0070hc_test", " phc_test", "phc_test\\n"];
    expect(JSON.parse(`"${spelled[1]}"`)).toBe(TOKEN);
    const items = [...spelled, ...spelled].map((token) => `{"event":"e","distinct_id":"d","token":"${token}"}`);
    expect((await front.post(`[${items.join(",")}]`)).status).toBe(200);
    expect(front.events()).toHaveLength(8);
  });

  test("missing", async () => {
    launch();
    for (const body of [EVENT, [EVENT], { batch: [{ ...EVENT, api_key: TOKEN }] }, { api_key: null, ...EVENT }, {}]) {
      await expectFailure(front, await front.post(body), 401, {
        type: "authentication_error",
        code: "missing_api_key",
      });
    }
  });

  test("malformed, unknown and contradicting", async () => {
    launch();
    for (const [api_key, reason] of [
      ["", "empty"],
      ["  ", "empty"],
      ["x".repeat(65), "too_long"],
      ["phc_🦀", "not_ascii"],
      ["phx_mine", "personal_api_key"],
      ["a\0b", "null_byte"],
      [5, "not_a_string"],
      ["phc_unknown", "unknown"],
    ] as const) {
      const failure = {
        type: "authentication_error",
        code: "invalid_api_key",
        detail: expect.stringMatching(new RegExp(`^API key is not valid: ${reason}\\b`)),
      };
      await expectFailure(front, await front.post({ api_key, ...EVENT }), 401, failure);
      await expectFailure(front, await front.post({ api_key, batch: [EVENT] }), 401, failure);
    }
    const two = [
      { token: TOKEN, ...EVENT },
      { token: "other", ...EVENT },
    ];
    await expectFailure(front, await front.post(two), 401, { code: "invalid_api_key" });
  });

  test("a refusal says what to do", async () => {
    launch();
    const json = { "content-type": "application/json" };
    const detailOf = async (body: string, headers: Record<string, string> = json) =>
      ((await (await front.post(body, headers, "/capture/")).json()) as { detail: string }).detail;
    expect(await detailOf(JSON.stringify(EVENT))).toContain("send the project API key as api_key");
    for (const api_key of ["phx_mine", "phc_unknown"]) {
      expect(await detailOf(JSON.stringify({ api_key, ...EVENT }))).toContain("`weir projects list` shows");
    }
    // What curl sends when no type is named.
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await detailOf(JSON.stringify({ api_key: TOKEN, ...EVENT }), form)).toContain(
      "Content-Type: application/json",
    );
    expect(await detailOf("")).toContain("send the events as a JSON body");
  });

  test("are looked up once for all paths", async () => {
    const asked: string[] = [];
    const findByToken = async (token: string) => {
      asked.push(token);
      return { teamId: 1, anonymizeIps: true };
    };
    launch({ projects: { findByToken }, config: { keyCacheTtlMs: 60_000 } });
    for (const path of ["/e/", "/flags/?v=2", "/decide/?v=3", "/capture/"]) {
      expect((await front.post({ api_key: TOKEN, ...EVENT }, {}, path)).status).toBe(200);
    }
    expect(asked).toEqual([TOKEN]);
  });

  test("without records a new key must wait", async () => {
    launch({ projects: { findByToken: () => Promise.reject(new Error("gone")) } });
    const answer = await front.post({ api_key: TOKEN, ...EVENT });
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectFailure(front, answer, 503, { type: "server_error", code: "records_unavailable" });
  });
});
