import { Type } from "@sinclair/typebox";
import * as schemas from "../../openapi/mod.ts";
import { checkAction } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { anyJson, choice, list, members, nullable, readFields, shownFields, text } from "../http/fields.ts";
import { tagSet, tagsField } from "../insights/fields.ts";
import { EVENT_FILTERS } from "../query/filterSchema.ts";
import { checkRecord } from "../resource/checkRecord.ts";
import { objectSchema } from "../resource/objectSchema.ts";
import { type Resource, resourceRoutes } from "../resource/objects.ts";
import type { Route } from "../serve/route.ts";

const STEPS_MAX = 100;
const TEXT_MAX = 1000;

const matching = () => nullable(choice(["contains", "regex", "exact"]));
const stepText = () => nullable(text({ maxLength: TEXT_MAX, blank: true }));

const STEP_FIELDS = {
  event: { field: stepText() },
  properties: { field: { ...anyJson(), schema: Type.Union([EVENT_FILTERS, Type.Null()]) } },
  selector: { field: stepText() },
  tag_name: { field: stepText() },
  text: { field: stepText() },
  text_matching: { field: matching() },
  href: { field: stepText() },
  href_matching: { field: matching() },
  url: { field: stepText() },
  url_matching: { field: matching() },
};
const FIELDS = {
  steps: list(members(STEP_FIELDS), { maxItems: STEPS_MAX }),
  tags: tagsField(),
};

const STEP = schemas.object("ActionStep", {
  ...shownFields(Object.fromEntries(Object.entries(STEP_FIELDS).map(([name, { field }]) => [name, field]))),
  properties: schemas.anything("Property filters."),
});

const ACTION = objectSchema("Action", {
  ...shownFields(FIELDS),
  steps: Type.Array(STEP),
  is_action: Type.Literal(true),
  is_calculating: Type.Boolean(),
  last_calculated_at: Type.Null(),
  post_to_slack: Type.Boolean(),
  slack_message_format: Type.String(),
  pinned_at: Type.Null(),
  creation_context: Type.Null(),
  bytecode_error: Type.Null(),
});

const ACTIONS: Resource<"action"> = {
  kind: "action",
  path: "actions",
  log: "Action",
  fields: FIELDS,
  shape: ACTION,
  readBody: (call) => call.body(),
  contentOf(body, present) {
    const { steps, tags } = readFields(FIELDS, body);
    return {
      steps: steps?.map(wholeStep) ?? present?.steps ?? [],
      tags: tags === undefined ? (present?.tags ?? []) : tagSet(tags),
    };
  },
  async save(tx, call, { id, deleted }) {
    if (!deleted) await checkRecord(tx, call, "steps", (context) => checkAction(context.records.action(id)!, context));
    return [];
  },
  show: async (_tx, actions) =>
    actions.map(({ content }) => ({
      ...content,
      is_action: true,
      is_calculating: false,
      last_calculated_at: null,
      post_to_slack: false,
      slack_message_format: "",
      pinned_at: null,
      creation_context: null,
      bytecode_error: null,
    })),
  logged: ({ content }) => ({ ...content }),
};

export const actionRoutes: Route[] = resourceRoutes(ACTIONS);

/** A step with every member, as clients expect it; a number among its texts is a text. */
function wholeStep(step: JsonObject): JsonObject {
  const entries = Object.keys(STEP_FIELDS).map((name): [string, Json] => {
    const value = step[name] ?? null;
    return [name, typeof value === "number" && name !== "properties" ? String(value) : value];
  });
  return { ...Object.fromEntries(entries), url_matching: step.url_matching ?? "contains" };
}
