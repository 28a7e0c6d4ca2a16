import { isJsonObject, type Json, type JsonObject } from "../../../types/mod.ts";
import { commonMembers, propertiesOf, renamed, same } from "../../insight/legacy.ts";
import type { Kind } from "../kind.ts";

const RETENTION = {
  ...same("period", "cumulative"),
  retention_type: "retentionType",
  retention_reference: "retentionReference",
  total_intervals: "totalIntervals",
};
const ENTITY = same("id", "type", "name", "custom_name", "order");

/** An entity, which may be JSON text. */
function entityOf(given: Json | undefined): JsonObject | null {
  const entity = typeof given === "string" ? parsed(given) : given;
  if (!isJsonObject(entity)) return null;
  const properties = propertiesOf(entity.properties ?? null, { isFlat: true });
  return { ...renamed(entity, ENTITY), ...(properties !== null && { properties }) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** How retention was written before there were query nodes. */
export const LEGACY: Kind["legacy"] = {
  names: ["RETENTION"],
  nodeOf(filters: JsonObject) {
    const [targetEntity, returningEntity] = [filters.target_entity, filters.returning_entity].map(entityOf);
    return {
      kind: "RetentionQuery",
      ...commonMembers(filters),
      retentionFilter: {
        ...renamed(filters, RETENTION),
        ...(targetEntity != null && { targetEntity }),
        ...(returningEntity != null && { returningEntity }),
      },
    };
  },
};
