import { Type } from "@sinclair/typebox";
import {
  allObjects,
  insightsWith,
  type ObjectKind,
  type ProjectObject,
  type QueryOfInsight,
} from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { json } from "../http/reply.ts";
import { mayDo } from "../serve/access.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { type Mentioned, mentions } from "./mentions.ts";

/** Of each kind. */
const SHOWN_MAX = 100;
/** Insights that have the word; more are not looked through. */
const LOOKED_THROUGH = 5_000;

const NAMED = { id: schemas.integer(), name: schemas.text() };
const block = (name: string, members: Parameters<typeof schemas.object>[1]) =>
  schemas.object(`${name}Uses`, {
    results: Type.Array(schemas.object(`${name}Use`, members), { description: `At most ${SHOWN_MAX}.` }),
    total: schemas.integer(),
    has_more: Type.Boolean(),
  });
const USED_IN = schemas.object("UsedIn", {
  feature_flags: block("Flag", { ...NAMED, key: schemas.text() }),
  insights: block("Insight", { ...NAMED, short_id: schemas.text() }),
  cohorts: block("Cohort", NAMED),
  actions: block("Action", NAMED),
});

/** What of a resource tells where its objects are named. */
interface Used<K extends ObjectKind> {
  description: { noun: string; path: string };
  find(call: EnvironmentCall): Promise<ProjectObject<K>>;
}

/** `{id}/used_in/`: insights, cohorts and actions that name a cohort or an action, as far as the caller sees them. */
export function usedInRoute<K extends ObjectKind>(resource: Used<K>): HandledBy<EnvironmentCall> {
  const { noun, path } = resource.description;
  const kind = noun as Mentioned["kind"];
  return {
    method: "GET",
    path: `${path}/:id/used_in/`,
    summary: `The insights, cohorts and actions that name the ${kind}`,
    scope: `${kind}:read`,
    responses: { 200: USED_IN },
    async handle(call) {
      const { id, name } = await resource.find(call);
      return json(await usesOf(call, { kind, id, name }));
    },
  };
}

async function usesOf(call: EnvironmentCall, wanted: Mentioned): Promise<object> {
  const { deps, environment, caller } = call;
  const { insights, cohorts, actions } = await deps.db.read(async (tx) => ({
    insights: await insightsWith(tx, environment.id, { part: wanted.kind, max: LOOKED_THROUGH }),
    cohorts: await allObjects(tx, environment.id, "cohort"),
    actions: await allObjects(tx, environment.id, "action"),
  }));
  const isSeen = (kind: ObjectKind, one: ProjectObject<ObjectKind>) =>
    mayDo(caller, kind, one, "viewer") && !(kind === wanted.kind && one.id === wanted.id);
  return {
    feature_flags: blockOf([]),
    insights: blockOf(
      insights.filter((one) => mayDo(caller, "insight", one, "viewer") && mentions(one.query, wanted)).map(insightUse),
    ),
    cohorts: blockOf(
      cohorts.filter((one) => isSeen("cohort", one) && mentions(one.content.filters, wanted)).map(objectUse),
    ),
    actions: blockOf(
      actions.filter((one) => isSeen("action", one) && mentions(one.content.steps, wanted)).map(objectUse),
    ),
  };
}

const UNNAMED = "Unnamed";

const insightUse = ({ id, shortId, name, derivedName }: QueryOfInsight) => ({
  id,
  name: name || derivedName || UNNAMED,
  short_id: shortId,
});
const objectUse = ({ id, name }: { id: number; name: string | null }) => ({ id, name: name || UNNAMED });

const blockOf = (uses: readonly object[]) => ({
  results: uses.slice(0, SHOWN_MAX),
  total: uses.length,
  has_more: uses.length > SHOWN_MAX,
});
