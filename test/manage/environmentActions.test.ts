import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findProjectByToken } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const environment = "/api/projects/1/environments/1/";

describe("actions on an environment", () => {
  test("reset_token gives another key, and the old one is unknown at once", async () => {
    const before = (await server.send("GET", environment)).json as { api_token: string };
    const { api_token } = (await server.send("PATCH", `${environment}reset_token/`)).json as { api_token: string };
    expect(api_token).toMatch(/^phc_[0-9A-Za-z]{40,44}$/);
    expect(await findProjectByToken(server.db, before.api_token)).toBeNull();
    expect(await findProjectByToken(server.db, api_token)).toMatchObject({ teamId: 1 });
    expect((await server.send("GET", environment)).json).toMatchObject({ api_token } as never);
  });

  test("product intents are kept once each, with their onboarding", async () => {
    const send = (action: string, body: object) => server.send("PATCH", `${environment}${action}/`, { body });
    const intents = async () =>
      ((await server.send("GET", environment)).json as { product_intents: object[] }).product_intents;
    const added = await send("add_product_intent", { product_type: "surveys", intent_context: "menu" });
    expect([added.status, added.text]).toEqual([200, ""]);
    const first = new Date(server.nowMs).toISOString();
    server.nowMs += 60_000;
    const later = new Date(server.nowMs).toISOString();
    await send("complete_product_onboarding", { product_type: "surveys" });
    server.nowMs += 60_000;
    await send("add_product_intent", { product_type: "surveys" });
    const now = new Date(server.nowMs).toISOString();
    expect(await intents()).toEqual([
      { product_type: "surveys", created_at: first, updated_at: now, onboarding_completed_at: later },
    ]);
    expect((await send("add_product_intent", {})).json).toMatchObject({
      code: "required",
      attr: "product_type",
    } as never);
    expect((await send("complete_product_onboarding", {})).json as object).toEqual({
      error: "product_type is required",
    });
  });

  test("ingested_event and has_group_types follow the data", async () => {
    const { id } = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const facts = async () => {
      const body = (await server.send("GET", `/api/projects/${id}/environments/${id}/`)).json;
      const { ingested_event, has_group_types } = body as Record<string, unknown>;
      return [ingested_event, has_group_types];
    };
    expect(await facts()).toEqual([false, false]);
    const count = (outcome: string) =>
      server.db.write(
        async (tx) =>
          tx`insert into settled_counts (team_id, outcome, cause, events) values (${id}, ${outcome}, '', 1)`,
      );
    await count("dropped");
    expect(await facts()).toEqual([false, false]);
    await count("stored");
    expect(await facts()).toEqual([true, false]);
    await server.db.write(
      async (tx) => tx`insert into group_types (team_id, group_type, group_index) values (${id}, 'company', 0)`,
    );
    expect(await facts()).toEqual([true, true]);
    const listed = (await server.send("GET", `/api/projects/?limit=1000`)).json as { results: { id: number }[] };
    expect(listed.results.find((project) => project.id === id)).toMatchObject({ ingested_event: true });
  });
});
