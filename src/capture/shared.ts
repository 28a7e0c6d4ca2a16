import type { Config } from "../config.ts";
import { ByteBudget } from "./byteBudget.ts";
import { ProjectKeys, type Projects } from "./projectKeys.ts";

/** What all paths of a front share: its bounds hold for the process. */
export interface Shared {
  budget: ByteBudget;
  keys: ProjectKeys;
}

export function sharedBy(
  config: Pick<Config, "inflightMaxBytes" | "keyCacheTtlMs" | "keyCacheMax">,
  projects: Projects,
): Shared {
  return {
    budget: new ByteBudget(config.inflightMaxBytes),
    keys: new ProjectKeys(projects, config.keyCacheTtlMs, config.keyCacheMax),
  };
}
