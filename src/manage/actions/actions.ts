import { Type } from "@sinclair/typebox";
import * as schemas from "../../openapi/mod.ts";
import { checkAction } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { anyJson, list, members } from "../http/compound.ts";
import { choice, nullable, shownFields, shownOf, text } from "../http/fields.ts";
import { EVENT_FILTERS } from "../query/filterSchema.ts";
import { checkRecord } from "../resource/checkRecord.ts";
import { objectResource } from "../resource/objects.ts";
import { recordRoutes, resourceRoutes } from "../resource/routes.ts";
import { always } from "../resource/shape.ts";
import { tagsField } from "../resource/tags.ts";
import { usedInRoute } from "../resource/usedIn.ts";
import { environmentRoutes } from "../serve/route.ts";
import { checkPatterns } from "./patterns.ts";
import { previewRoute } from "./preview.ts";

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
const STEP = schemas.object("ActionStep", {
  ...shownFields(Object.fromEntries(Object.entries(STEP_FIELDS).map(([name, { field }]) => [name, field]))),
  properties: schemas.anything("Property filters."),
});

const stepsField = () => list(members(STEP_FIELDS), { maxItems: STEPS_MAX });

/** Events under a name: any of several steps. */
const ACTIONS = objectResource({
  kind: "action",
  path: "actions",
  log: "Action",
  fields: { steps: stepsField(), tags: tagsField() },
  shown: {
    name: "Action",
    members: {
      steps: [Type.Array(STEP), ({ content }) => content.steps],
      tags: [shownOf(tagsField()), ({ content }) => content.tags],
      is_action: always(true),
      is_calculating: [Type.Boolean(), () => false],
      last_calculated_at: always(null),
      post_to_slack: [Type.Boolean(), () => false],
      slack_message_format: [Type.String(), () => ""],
      pinned_at: always(null),
      creation_context: always(null),
      bytecode_error: always(null),
    },
  },
  shownWith: async () => ({}),
  async readBody(call) {
    const body = await call.body();
    await checkPatterns(call, body.steps);
    return body;
  },
  contentOf: ({ steps, tags }, present) => ({
    steps: steps?.map(wholeStep) ?? present?.steps ?? [],
    tags: tags ?? present?.tags ?? [],
  }),
  async save(tx, call, { id, deleted }, { steps }) {
    if (deleted) return [];
    // What was there before may name what is closed to the caller.
    await checkRecord(tx, call, "steps", (context, open) =>
      checkAction(context.records.action(id)!, steps === undefined ? context : { ...context, records: open }),
    );
    return [];
  },
  logged: ({ content }) => ({ ...content }),
});

export const actionRoutes = environmentRoutes([
  ...resourceRoutes(ACTIONS),
  ...recordRoutes(ACTIONS),
  previewRoute(stepsField(), wholeStep),
  usedInRoute(ACTIONS),
]);

/** A step with every member, as clients expect it; a number among its texts is a text. */
function wholeStep(step: JsonObject): JsonObject {
  const entries = Object.keys(STEP_FIELDS).map((name): [string, Json] => {
    const value = step[name] ?? null;
    return [name, typeof value === "number" && name !== "properties" ? String(value) : value];
  });
  return { ...Object.fromEntries(entries), url_matching: step.url_matching ?? "contains" };
}
