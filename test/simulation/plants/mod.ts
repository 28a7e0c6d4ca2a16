import type { PlantedViolation } from "../plant.ts";
import { ACTOR_PLANTS } from "./actors.ts";
import { CATALOG_PLANTS } from "./catalog.ts";
import { COMPACTOR_PLANTS } from "./compactors.ts";
import { FRONT_PLANTS } from "./front.ts";
import { LAKE_PLANTS } from "./lake.ts";

/** Violations of the protocol, by the rule that each breaks. */
export const PLANTS: readonly PlantedViolation[] = [
  ...FRONT_PLANTS,
  ...CATALOG_PLANTS,
  ...COMPACTOR_PLANTS,
  ...LAKE_PLANTS,
  ...ACTOR_PLANTS,
].sort((a, b) => a.rule - b.rule);
