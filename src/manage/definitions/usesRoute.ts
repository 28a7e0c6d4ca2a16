import { Type } from "@sinclair/typebox";
import { allObjects, insightsWith, type ProjectObject } from "../../metadata/mod.ts";
import { integer, nullable, object, text } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { json } from "../http/reply.ts";
import type { Entity } from "../resource/description.ts";
import type { Resource } from "../resource/resource.ts";
import { mayDo } from "../serve/access.ts";
import { hasScope } from "../serve/guard.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { namedInSql } from "./sqlNames.ts";
import { type Named, namedIn } from "./uses.ts";

const NAMED = { id: integer(), name: nullable(text()) };
const ofKind = (members: Parameters<typeof Type.Object>[0]) => nullable(Type.Array(Type.Object(members)));

const USES = object("DefinitionUses", {
  insights: ofKind({ ...NAMED, short_id: text(), derived_name: nullable(text()) }),
  actions: ofKind(NAMED),
  cohorts: ofKind(NAMED),
});

/** So many insights whose text has a part of the name are looked at, those that were changed last. */
const INSIGHTS_MAX = 5_000;

interface Definition extends Entity {
  name: string;
}

/** What names a definition. `names`: whether something that names these things names it. */
export function usesRoute<D extends Definition, V extends object>(
  resource: Resource<D, V, EnvironmentCall>,
  names: (named: Named, definition: D) => boolean,
): HandledBy<EnvironmentCall> {
  const { path, scope } = resource.description;
  return {
    method: "GET",
    path: `${path}/:id/uses/`,
    summary:
      "The insights, actions and cohorts that name it and that you may see; null where the key may not read such",
    scope: `${scope as "event_definition"}:read`,
    query: resource.description.findQuery,
    responses: { 200: USES },
    async handle(call) {
      const uses = await call.deps.db.read(async (tx) => {
        const definition = await resource.findIn(tx, call);
        return usesOf(tx, call, definition.name, (named) => names(named, definition));
      });
      return json(uses);
    },
  };
}

async function usesOf(tx: Tx, call: EnvironmentCall, name: string, isNamed: (named: Named) => boolean) {
  const { caller, environment } = call;
  const objects = async (kind: "action" | "cohort", contentOf: (one: ProjectObject<typeof kind>) => object) => {
    if (!hasScope(caller.grant, `${kind}:read`)) return null;
    const all = await allObjects(tx, environment.id, kind);
    return all
      .filter((one) => mayDo(caller, kind, one, "viewer") && isNamed(namedIn(contentOf(one) as never)))
      .map(({ id, name }) => ({ id, name }));
  };
  return {
    insights: hasScope(caller.grant, "insight:read") ? await insightsNaming(tx, call, name, isNamed) : null,
    actions: await objects("action", ({ content }) => content),
    cohorts: await objects("cohort", ({ content }) => content),
  };
}

async function insightsNaming(tx: Tx, call: EnvironmentCall, name: string, isNamed: (named: Named) => boolean) {
  const found = await insightsWith(tx, call.environment.id, { part: longestPlain(name), max: INSIGHTS_MAX });
  return found
    .filter((insight) => mayDo(call.caller, "insight", insight, "viewer"))
    .filter(({ query }) => isNamed(namedIn(query)) || isNamed(namedInSql(query)))
    .map(({ id, shortId: short_id, name, derivedName: derived_name }) => ({ id, short_id, name, derived_name }));
}

/** The longest part of a name that is written alike in JSON and in HogQL. */
function longestPlain(name: string): string {
  const parts = name.match(/[\p{L}\p{N} _.$:/-]+/gu) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}
