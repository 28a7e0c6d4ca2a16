import type { Tx } from "../store/mod.ts";
import { isJsonObject, type Json, type SeenDefinitions, type SeenProperty } from "../types/mod.ts";
import { findEnvironment } from "./environments.ts";
import { noteEvents } from "./eventDefinitions.ts";
import { noteProperties } from "./propertyDefinitions.ts";

/**
 * Records the events and properties that arrived, in the transaction that makes them visible. Records types unless the
 * environment has switched that off (`extra_settings.detect_property_types: false`); `max`: definitions of events, and of properties, that a project
 * can have.
 */
export async function noteDefinitions(
  tx: Tx,
  seen: readonly SeenDefinitions[],
  o: { nowMs: number; max: number },
): Promise<void> {
  for (const { teamId, events, properties } of seen) {
    const environment = await findEnvironment(tx, teamId);
    if (environment === null) continue;
    await noteEvents(tx, teamId, events, o);
    await noteProperties(
      tx,
      teamId,
      detects(environment.settings.extra_settings) ? properties : untyped(properties),
      o,
    );
  }
}

const detects = (settings: Json | undefined): boolean =>
  !isJsonObject(settings) || settings.detect_property_types !== false;

const untyped = (properties: readonly SeenProperty[]): SeenProperty[] =>
  properties.map((property) => ({ ...property, propertyType: null }));
