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

  test.each<[Record<string, unknown>, string, string | null]>([
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
    [{ default_data_theme: -2_147_483_649 }, "min_value", "default_data_theme"],
    [{ default_data_theme: "1.5" }, "invalid_input", "default_data_theme"],
    [{ cookieless_server_hash_mode: 3 }, "invalid_choice", "cookieless_server_hash_mode"],
    [{ live_events_columns: ["a", null] }, "null", "live_events_columns__1"],
    [{ person_display_name_properties: "email" }, "not_a_list", "person_display_name_properties"],
    [{ test_account_filters: {} }, "not_a_list", "test_account_filters"],
    [{ test_account_filters: [{ value: 1 }] }, "required", "test_account_filters__0__key"],
    [{ test_account_filters: [{ key: "a" }, { key: 5, type: [] }] }, "invalid_input", "test_account_filters__1__type"],
    [{ path_cleaning_filters: ["x"] }, "invalid_input", "path_cleaning_filters__0"],
    [{ path_cleaning_filters: [{ alias: "a" }] }, "required", "path_cleaning_filters__0__regex"],
    [{ path_cleaning_filters: [{ regex: "(" }] }, "invalid_input", "path_cleaning_filters__0__regex"],
    [{ path_cleaning_filters: [{ regex: "a(?=b)" }] }, "invalid_input", "path_cleaning_filters__0__regex"],
    [{ path_cleaning_filters: [{ regex: "(a)\\1" }] }, "invalid_input", "path_cleaning_filters__0__regex"],
    [{ session_recording_url_trigger_config: {} }, "not_a_list", "session_recording_url_trigger_config"],
    [{ recording_domains: ["x".repeat(201)] }, "max_length", "recording_domains__0"],
    [{ anonymize_ips: "maybe", timezone: "Mars/Base" }, "invalid_choice", "timezone"],
    [{ primary_dashboard: 5 }, "invalid_input", "primary_dashboard"],
    [{ autocapture_exceptions_errors_to_ignore: ["x".repeat(300)] }, "invalid_input", null],
  ])("%j is refused as %s", async (body, code, attr) => {
    const reply = await patch(body);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ type: "validation_error", code, attr } as never);
  });

  describe("are as the specification has them", () => {
    const READ_ONLY =
      "id uuid organization project_id api_token created_at updated_at ingested_event effective_membership_level has_group_types person_on_events_querying_enabled default_modifiers live_events_token product_intents user_access_level access_control_version".split(
        " ",
      );
    const writable = ENVIRONMENT_FIELDS.filter((name) => !READ_ONLY.includes(name));
    /** Take any JSON value. */
    const FREE =
      "data_attributes correlation_config autocapture_web_vitals_allowed_metrics extra_settings modifiers has_completed_onboarding_for revenue_tracking_config".split(
        " ",
      );

    test("all writable ones are documented, and no other", async () => {
      const { paths } = (await server.send("GET", "/openapi.json", { key: null })).json as {
        paths: Record<
          string,
          { patch: { requestBody: { content: Record<string, { schema: { properties: object } }> } } }
        >;
      };
      const { patch: documented } = paths["/api/projects/{project_id}/environments/{id}/"]!;
      const { schema } = documented.requestBody.content["application/json"]!;
      expect(Object.keys(schema.properties).sort()).toEqual([...writable].sort());
    });

    test.each(writable.filter((name) => !FREE.includes(name)))("%s refuses values of other types", async (name) => {
      const wrong = [{ no: { such: "thing" } }, [[{}]], true, 1.5, "\u0000"];
      const replies = await Promise.all(wrong.map((value) => patch({ [name]: value })));
      const refused = replies.filter((reply) => reply.status === 400);
      // An object, a list, a flag: each field takes one of the kinds at most.
      expect(refused.length).toBeGreaterThanOrEqual(wrong.length - 1);
      for (const reply of refused) {
        const { type, attr } = reply.json as { type: string; attr: string | null };
        const named = name === "autocapture_exceptions_errors_to_ignore" ? undefined : name;
        expect([type, attr?.split("__")[0]]).toEqual(["validation_error", named]);
      }
      await patch({ [name]: null });
    });

    test.each(FREE)("%s takes any JSON value", async (name) => {
      for (const value of [{ a: [1, null, "x"] }, [], "text", 0, false, null]) {
        expect((await patch({ [name]: value })).json).toMatchObject({ [name]: value } as never);
      }
    });

    test("the whole object can be sent back, and stays as it is", async () => {
      const { updated_at: _, ...before } = (await server.send("GET", environment)).json as Record<string, unknown>;
      const reply = await patch(before);
      expect(reply.status).toBe(200);
      expect(reply.json).toMatchObject(before as never);
    });
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

  test("a path cleaning rule can use what RE2 has", async () => {
    const path_cleaning_filters = [
      { alias: "/item/<id>", regex: "(?i)\\/item\\/(?P<id>\\d+)\\\\1" },
      { alias: "", regex: "[?].*$" },
    ];
    expect((await patch({ path_cleaning_filters })).json).toMatchObject({ path_cleaning_filters } as never);
  });

  test("cannot grow without end", async () => {
    const grow = (i: number) => patch({ survey_config: { [`k${i}`]: "x".repeat(1_500_000) } });
    expect([(await grow(1)).status, (await grow(2)).status, (await grow(3)).status]).toEqual([200, 200, 400]);
    await patch({ survey_config: null });
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

describe("deleting", () => {
  const exists = async (token: string) => (await findProjectByToken(server.db, token)) !== null;

  test("an environment hides it and its data at once, and ends its token", async () => {
    const created = await server.send("POST", "/api/projects/1/environments/", { body: { name: "short-lived" } });
    const { id, api_token } = created.json as { id: number; api_token: string };
    const insight = await server.send("POST", `/api/environments/${id}/insights/`, { body: { name: "in it" } });
    await server.send("PATCH", "/api/users/@me/", { body: { set_current_team: id } });
    const path = `/api/projects/1/environments/${id}/`;
    expect(await exists(api_token)).toBe(true);
    const deleted = await server.send("DELETE", path);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect(await exists(api_token)).toBe(false);
    const { id: insightId } = insight.json as { id: number };
    const gone = [
      path,
      `${path}activity/`,
      `/api/environments/${id}/`,
      `/api/environments/${id}/insights/${insightId}/`,
    ];
    for (const url of gone) expect((await server.send("GET", url)).status).toBe(404);
    expect((await server.send("DELETE", path)).status).toBe(404);
    expect((await server.send("PATCH", path, { body: { name: "x" } })).status).toBe(404);
    const listed = (await server.send("GET", "/api/projects/1/environments/")).text;
    expect(listed).not.toContain("short-lived");
    expect((await server.send("GET", "/api/projects/@current/")).json).toMatchObject({ id: 1 } as never);
    const next = await server.send("POST", "/api/projects/1/environments/", { body: {} });
    expect((next.json as { id: number }).id).toBeGreaterThan(id);
  });

  test("the last environment takes its project with it; a project takes all of its environments", async () => {
    const make = async () => (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const count = async () => ((await server.send("GET", "/api/projects/")).json as { count: number }).count;
    const before = await count();
    const [one, two] = [(await make()).id, (await make()).id];
    const second = await server.send("POST", `/api/projects/${two}/environments/`, { body: {} });
    const { id, api_token } = second.json as { id: number; api_token: string };
    expect((await server.send("DELETE", `/api/projects/${one}/environments/${one}/`)).status).toBe(204);
    expect((await server.send("GET", `/api/projects/${one}/`)).status).toBe(404);
    // A key that cannot see one of the environments cannot delete it with the project.
    const limited = await server.createKey({ scopes: ["*"], scopedTeams: [two] });
    expect((await server.send("DELETE", `/api/projects/${two}/`, { key: limited.value })).status).toBe(403);
    expect((await server.send("DELETE", `/api/projects/${two}/`)).status).toBe(204);
    expect([await exists(api_token), await count()]).toEqual([false, before]);
    expect((await server.send("GET", `/api/environments/${id}/`)).status).toBe(404);
  });

  test("a key that is limited to a deleted first environment does not see its siblings", async () => {
    const { id } = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    await server.send("POST", `/api/projects/${id}/environments/`, { body: { name: "sibling" } });
    const limited = await server.createKey({ scopes: ["*"], scopedTeams: [id] });
    await server.send("DELETE", `/api/projects/${id}/environments/${id}/`);
    expect((await server.send("GET", `/api/projects/${id}/`)).json).toMatchObject({ id, project_id: id } as never);
    expect((await server.send("GET", `/api/projects/${id}/`, { key: limited.value })).status).toBe(404);
    expect((await server.send("PATCH", `/api/projects/${id}/`, { key: limited.value, body: {} })).status).toBe(404);
  });
});

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

  test("can be changed and rolled", async () => {
    const made = await create({ label: "a", scopes: ["insight:read"] });
    const { id, value: first } = made.json as { id: string; value: string };
    const wish = { label: "b", scopes: ["project:read"], scoped_teams: [1], level: "member" };
    const changed = await server.send("PATCH", `${path}${id}/`, { body: { ...wish, mask_value: "x", value: "y" } });
    expect(changed.json).toMatchObject({ ...wish, id, value: null } as never);
    expect((await server.send("GET", "/api/projects/1/insights/", { key: first })).status).toBe(403);
    server.nowMs += 1000;
    const rolled = await server.send("POST", `${path}${id}/roll/`);
    const { value } = rolled.json as { value: string };
    expect(rolled.status).toBe(200);
    expect(rolled.json).toMatchObject({
      ...wish,
      id,
      mask_value: `phx_...${value.slice(-4)}`,
      last_rolled_at: new Date(server.nowMs).toISOString(),
    } as never);
    expect((await server.send("GET", environment, { key: first })).status).toBe(401);
    expect((await server.send("GET", environment, { key: value })).status).toBe(200);
    expect((await server.send("PATCH", `${path}${id}/`, { body: { scopes: ["no:such"] } })).status).toBe(400);
  });

  test("a key reads itself, and others only where it may do everything", async () => {
    const reader = await server.createKey({ label: "self", scopedTeams: [1] });
    const other = await server.createKey({ label: "other", scopes: ["insight:read"] });
    const get = (id: string, key?: string) => server.send("GET", `${path}${id}/`, { key });
    for (const id of ["@current", reader.id]) {
      const reply = await get(id, reader.value);
      expect(reply.json).toMatchObject({ id: reader.id, label: "self", value: null } as never);
    }
    expect((await get(other.id, reader.value)).json).toMatchObject({
      detail: "This action does not support personal API key access",
    } as never);
    expect((await get(other.id)).json).toMatchObject({ label: "other" } as never);
  });

  test("can be limited to the organisation, not to another one", async () => {
    const { organization } = (await server.send("GET", "/api/projects/@current/")).json as { organization: string };
    const wish = { label: "x", scopes: ["project:read"], scoped_organizations: [organization] };
    const made = await create(wish);
    expect(made.json).toMatchObject(wish as never);
    const { id, value } = made.json as { id: string; value: string };
    expect((await server.send("GET", "/api/projects/", { key: value })).status).toBe(200);
    const changed = await server.send("PATCH", `${path}${id}/`, { body: { scoped_organizations: null } });
    expect(changed.json).toMatchObject({ scoped_organizations: [] } as never);
    const other = [crypto.randomUUID()];
    for (const reply of [
      await create({ ...wish, scoped_organizations: other }),
      await server.send("PATCH", `${path}${id}/`, { body: { scoped_organizations: other } }),
    ]) {
      expect(reply.json).toMatchObject({ code: "does_not_exist", attr: "scoped_organizations" } as never);
    }
  });

  test("are stored as hashes", async () => {
    const { value } = (await create({ label: "x", scopes: [] })).json as { value: string };
    const rows: { secure_value: string }[] = await server.db.read(async (tx) => tx`select * from personal_api_keys`);
    expect(JSON.stringify(rows)).not.toContain(value.slice(4, -4));
    for (const row of rows) expect(row.secure_value).toMatch(/^sha256\$[0-9a-f]{64}$/);
  });

  test("are limited in number", async () => {
    const small = await startManage({ personalKeysMax: 3 });
    try {
      const make = () => small.send("POST", path, { body: { label: "k", scopes: [] } });
      const made = [await make(), await make()];
      expect((await make()).json).toMatchObject({
        type: "validation_error",
        detail: "You can only have 3 personal API keys. Remove one first.",
      } as never);
      const { id } = made[0]!.json as { id: string };
      await small.send("DELETE", `${path}${id}/`);
      expect((await make()).status).toBe(201);
    } finally {
      await small.stop();
    }
  });

  test("cannot rise above the key that makes or revokes them", async () => {
    const member = await server.createKey({ scopes: ["*"], level: "member" });
    expect((await create({ label: "x", scopes: ["*"], level: "owner" }, member.value)).status).toBe(403);
    expect((await create({ label: "x", scopes: ["*"] }, member.value)).json).toMatchObject({
      level: "member",
    } as never);
    const admin = await server.createKey({ level: "admin" });
    const asMember = (method: string, url: string, body?: object) =>
      server.send(method, url, { key: member.value, body });
    expect((await asMember("DELETE", `${path}${admin.id}/`)).status).toBe(403);
    expect((await asMember("POST", `${path}${admin.id}/roll/`)).status).toBe(403);
    expect((await asMember("PATCH", `${path}${admin.id}/`, { scopes: ["*"] })).status).toBe(403);
    expect((await asMember("PATCH", `${path}${member.id}/`, { level: "admin" })).status).toBe(403);
  });
});
