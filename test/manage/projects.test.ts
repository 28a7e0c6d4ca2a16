import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findProjectByToken } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

/** Every field of the spec's Environment table. */
const ENVIRONMENT_FIELDS =
  "id uuid organization project_id api_token app_urls name slack_incoming_webhook created_at updated_at anonymize_ips completed_snippet_onboarding ingested_event test_account_filters test_account_filters_default_checked path_cleaning_filters is_demo timezone data_attributes person_display_name_properties correlation_config autocapture_opt_out autocapture_exceptions_opt_in autocapture_web_vitals_opt_in autocapture_web_vitals_allowed_metrics autocapture_exceptions_errors_to_ignore capture_console_log_opt_in capture_performance_opt_in session_recording_opt_in session_recording_sample_rate session_recording_minimum_duration_milliseconds session_recording_linked_flag session_recording_network_payload_capture_config session_recording_url_trigger_config session_recording_url_blocklist_config session_recording_event_trigger_config session_replay_config survey_config effective_membership_level access_control week_start_day has_group_types primary_dashboard live_events_columns recording_domains cookieless_server_hash_mode human_friendly_comparison_periods person_on_events_querying_enabled inject_web_apps extra_settings modifiers default_modifiers has_completed_onboarding_for surveys_opt_in heatmaps_opt_in flags_persistence_default live_events_token product_intents capture_dead_clicks user_access_level default_data_theme revenue_tracking_config access_control_version".split(
    " ",
  );

const environment = "/api/projects/1/environments/1/";
const patch = (body: object) => server.send("PATCH", environment, { body });

describe("projects and environments", () => {
  test("a new project takes events with its token at once", async () => {
    const created = await server.send("POST", "/api/projects/", { body: { name: "Shop" } });
    expect(created.status).toBe(201);
    const { id, api_token } = created.json as { id: number; api_token: string };
    expect(api_token).toMatch(/^phc_/);
    expect(await findProjectByToken(server.db, api_token)).toMatchObject({ teamId: id });
    expect((await server.send("GET", `/api/projects/${id}/`)).json).toMatchObject({ id, name: "Shop" } as never);
  });

  test("further environments have ids and tokens of their own", async () => {
    const created = await server.send("POST", "/api/projects/1/environments/", { body: { name: "staging" } });
    expect(created.status).toBe(201);
    const { id, project_id, api_token } = created.json as { id: number; project_id: number; api_token: string };
    expect(project_id).toBe(1);
    expect(await findProjectByToken(server.db, api_token)).toMatchObject({ teamId: id });
    const list = (await server.send("GET", "/api/projects/1/environments/")).json as { results: { id: number }[] };
    expect(list.results.map((entry) => entry.id)).toEqual([1, id]);
    expect((await server.send("GET", `/api/projects/1/environments/${id}/`)).status).toBe(200);
    expect((await server.send("GET", `/api/environments/${id}/insights/`)).status).toBe(200);
    // Its id is not that of a project.
    expect((await server.send("GET", `/api/projects/${id}/`)).status).toBe(404);
    const limited = await server.createKey({ scopes: ["project:read"], scopedTeams: [1] });
    const seen = (await server.send("GET", "/api/projects/1/environments/", { key: limited.value }))
      .json as typeof list;
    expect(seen.results.map((entry) => entry.id)).toEqual([1]);
    expect((await server.send("GET", `/api/projects/1/environments/${id}/`, { key: limited.value })).status).toBe(403);
  });

  test("lists come in pages with absolute links", async () => {
    for (let i = 0; i < 3; i++) await server.send("POST", "/api/projects/", { body: { name: `p${i}` } });
    const seen: number[] = [];
    let next: string | null = `${server.url}/api/projects/?limit=2`;
    let count = 0;
    while (next !== null) {
      const page = (await server.send("GET", next.slice(server.url.length))).json as {
        count: number;
        next: string | null;
        previous: string | null;
        results: { id: number }[];
      };
      expect(page.previous === null).toBe(seen.length === 0);
      count = page.count;
      seen.push(...page.results.map((project) => project.id));
      next = page.next;
    }
    expect(seen).toHaveLength(count);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  test("an environment has exactly the documented fields", async () => {
    const reply = await server.send("GET", environment);
    expect(Object.keys(reply.json as object).sort()).toEqual([...ENVIRONMENT_FIELDS].sort());
    expect(reply.json).toMatchObject({
      id: 1,
      project_id: 1,
      timezone: "UTC",
      week_start_day: 0,
      test_account_filters: [],
      data_attributes: ["data-attr"],
      ingested_event: false,
      effective_membership_level: 15,
    } as never);
  });

  test("the id of an environment must be a number and of that project", async () => {
    expect((await server.send("GET", "/api/projects/1/environments/abc/")).json).toMatchObject({
      type: "validation_error",
    } as never);
    expect((await server.send("GET", "/api/projects/1/environments/9999/")).status).toBe(404);
    expect((await server.send("GET", "/api/projects/@current/environments/@current/")).status).toBe(200);
  });
});

describe("settings", () => {
  test("stay as they are set; unknown and read-only ones are ignored", async () => {
    const body = {
      name: "Shop",
      timezone: "Europe/Berlin",
      week_start_day: 1,
      extra_settings: { detect_property_types: false },
      anonymize_ips: true,
      id: 77,
      api_token: "phc_mine",
      no_such_field: 1,
    };
    const reply = await patch(body);
    expect(reply.status).toBe(200);
    const { id, api_token, no_such_field, ...kept } = body;
    expect(reply.json).toMatchObject(kept as never);
    const again = (await server.send("GET", environment)).json as Record<string, unknown>;
    expect(again).toEqual(reply.json as typeof again);
    expect([again.id, again.api_token === api_token, no_such_field in again]).toEqual([1, false, false]);
  });

  test.each<[Record<string, unknown>, string, string]>([
    [{ timezone: "Mars/Base" }, "invalid_choice", "timezone"],
    [{ timezone: "+02:00" }, "invalid_choice", "timezone"],
    [{ timezone: "europe/berlin" }, "invalid_choice", "timezone"],
    [{ timezone: null }, "invalid_choice", "timezone"],
    [{ week_start_day: 2 }, "invalid_choice", "week_start_day"],
    [{ name: "  " }, "blank", "name"],
    [{ name: null }, "null", "name"],
    [{ name: "x".repeat(201) }, "max_length", "name"],
    [{ anonymize_ips: "maybe" }, "invalid_input", "anonymize_ips"],
    [{ app_urls: "https://a" }, "not_a_list", "app_urls"],
    [{ app_urls: ["https://a", true] }, "invalid_input", "app_urls__1"],
    [{ session_recording_sample_rate: "Welwyn" }, "invalid_input", "session_recording_sample_rate"],
    [{ session_recording_sample_rate: "-1" }, "min_value", "session_recording_sample_rate"],
    [{ session_recording_sample_rate: 1.5 }, "max_value", "session_recording_sample_rate"],
    [{ session_recording_sample_rate: 0.123 }, "max_decimal_places", "session_recording_sample_rate"],
    [
      { session_recording_minimum_duration_milliseconds: -1 },
      "min_value",
      "session_recording_minimum_duration_milliseconds",
    ],
    [
      { session_recording_minimum_duration_milliseconds: "0.5" },
      "invalid_input",
      "session_recording_minimum_duration_milliseconds",
    ],
    [{ session_recording_linked_flag: { key: "x" } }, "invalid_input", "session_recording_linked_flag"],
    [{ session_replay_config: { nope: 1 } }, "invalid_input", "session_replay_config"],
    [{ default_data_theme: 2_147_483_648 }, "max_value", "default_data_theme"],
    [{ primary_dashboard: 5 }, "invalid_input", "primary_dashboard"],
    [
      { autocapture_exceptions_errors_to_ignore: ["x".repeat(300)] },
      "invalid_input",
      "autocapture_exceptions_errors_to_ignore",
    ],
  ])("%j is refused as %s", async (body, code, attr) => {
    const reply = await patch(body);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ type: "validation_error", code, attr } as never);
  });

  test("a refused change changes nothing", async () => {
    const before = (await server.send("GET", environment)).json as object;
    await patch({ name: "other", is_demo: true, week_start_day: 9 });
    expect((await server.send("GET", environment)).json as object).toEqual(before);
  });

  test("are normalised and joined as documented", async () => {
    expect((await patch({ app_urls: ["https://a.com", null, ""] })).json).toMatchObject({
      app_urls: ["https://a.com"],
    } as never);
    expect((await patch({ session_recording_sample_rate: 0.4 })).json).toMatchObject({
      session_recording_sample_rate: "0.40",
    } as never);
    await patch({ session_replay_config: { ai_config: { opt_in: true } } });
    const joined = await patch({ session_replay_config: { ai_config: { included_event_properties: ["x"] } } });
    expect(joined.json).toMatchObject({
      session_replay_config: { ai_config: { opt_in: true, included_event_properties: ["x"] } },
    } as never);
    expect((await patch({ session_replay_config: null })).json).toMatchObject({ session_replay_config: null } as never);
    await patch({ survey_config: { a: 1 } });
    expect((await patch({ survey_config: { b: 2 } })).json).toMatchObject({ survey_config: { a: 1, b: 2 } } as never);
  });

  test("changed at the same moment all stay", async () => {
    await Promise.all([
      patch({ is_demo: true }),
      patch({ live_events_columns: ["a"] }),
      patch({ heatmaps_opt_in: true }),
    ]);
    expect((await server.send("GET", environment)).json).toMatchObject({
      is_demo: true,
      live_events_columns: ["a"],
      heatmaps_opt_in: true,
    } as never);
  });
});

describe("personal API keys", () => {
  const path = "/api/personal_api_keys/";
  const create = (body: object, key?: string) => server.send("POST", path, { body, key });

  test("show their value once", async () => {
    const created = await create({ label: "reader", scopes: ["insight:read"], scoped_teams: [1], level: "admin" });
    expect(created.status).toBe(201);
    const { id, value, ...rest } = created.json as { id: string; value: string };
    expect(value).toMatch(/^phx_/);
    expect(rest).toMatchObject({
      label: "reader",
      scopes: ["insight:read"],
      scoped_teams: [1],
      scoped_organizations: [],
      level: "admin",
      last_used_at: null,
      mask_value: `phx_...${value.slice(-4)}`,
    });
    expect((await server.send("GET", "/api/projects/1/insights/", { key: value })).status).toBe(200);
    const listed = await server.send("GET", path);
    expect(listed.text).not.toContain(value);
    const { results } = listed.json as { results: { id: string; value: null; last_used_at: string | null }[] };
    expect(results.find((key) => key.id === id)).toMatchObject({ value: null, last_used_at: expect.any(String) });
    expect((await server.send("DELETE", `${path}${id}/`)).status).toBe(204);
    expect((await server.send("GET", "/api/projects/1/insights/", { key: value })).status).toBe(401);
    expect((await server.send("DELETE", `${path}${id}/`)).status).toBe(404);
  });

  test.each([
    [{ scopes: ["*"] }, "required", "label"],
    [{ label: " ", scopes: ["*"] }, "blank", "label"],
    [{ label: "x" }, "required", "scopes"],
    [{ label: "x", scopes: ["insight:fly"] }, "invalid_input", "scopes"],
    [{ label: "x", scopes: [], scoped_teams: [999] }, "does_not_exist", "scoped_teams"],
    [{ label: "x", scopes: [], level: "god" }, "invalid_choice", "level"],
  ])("%j is refused as %s", async (body, code, attr) => {
    expect((await create(body)).json).toMatchObject({ type: "validation_error", code, attr } as never);
  });

  test("cannot rise above the key that makes or revokes them", async () => {
    const member = await server.createKey({ scopes: ["*"], level: "member" });
    expect((await create({ label: "x", scopes: ["*"], level: "owner" }, member.value)).status).toBe(403);
    expect((await create({ label: "x", scopes: ["*"] }, member.value)).json).toMatchObject({
      level: "member",
    } as never);
    const admin = await server.createKey({ level: "admin" });
    expect((await server.send("DELETE", `${path}${admin.id}/`, { key: member.value })).status).toBe(403);
  });
});
