import {
  type Environment,
  environmentsWithEvents,
  type Level,
  listGroupTypes,
  listProductIntents,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json } from "../../types/mod.ts";
import { SETTINGS, settingOf } from "../settings/fields.ts";
import { BASIC_ENVIRONMENT, ENVIRONMENT } from "./shape.ts";

/** All that a client can change of it, by API name. */
export function writableOf(environment: Environment): Record<string, Json> {
  const settings = Object.keys(SETTINGS).map((name) => [name, settingOf(environment, name)]);
  return {
    name: environment.name,
    timezone: environment.timezone,
    week_start_day: environment.weekStartDay,
    ...Object.fromEntries(settings),
  };
}

/** The whole object of the API, as a caller of this level in it sees it. */
export async function readEnvironmentBody(tx: Tx, environment: Environment, { level }: { level: Level }) {
  return ENVIRONMENT.show(environment, {
    level,
    withEvents: await environmentsWithEvents(tx, [environment.id]),
    groupTypes: await listGroupTypes(tx, environment.id),
    intents: await listProductIntents(tx, environment.id),
  });
}

/** The short form in lists. */
export async function readBasicBodies(tx: Tx, environments: readonly Environment[]) {
  const ids = environments.map(({ id }) => id);
  const withEvents = await environmentsWithEvents(tx, ids);
  return environments.map((environment) => BASIC_ENVIRONMENT.show(environment, { withEvents }));
}
