import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, startManage } from "../support/manage.ts";
import { ENVIRONMENT_FIELDS } from "./environmentFields.ts";

let server: ManageServer;
beforeAll(async () => {
  server = await startManage();
});
afterAll(() => server.stop());

const environment = "/api/projects/1/environments/1/";
const patch = (body: object) => server.send("PATCH", environment, { body });

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
