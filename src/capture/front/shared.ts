import type { Config } from "../../config.ts";
import { Turns } from "../../types/mod.ts";
import { Aside } from "../aside/aside.ts";
import { type BudgetLimits, ByteBudget } from "../body/byteBudget.ts";
import { type UploadLimits, Uploads } from "../body/uploads.ts";
import { ProjectKeys, type Projects } from "./projectKeys.ts";

/** What all paths of a front share: its bounds hold for the process. */
export interface Shared {
  budget: ByteBudget;
  uploads: Uploads;
  turns: Turns;
  aside: Aside;
  keys: ProjectKeys;
}

export function sharedBy(
  config: BudgetLimits & UploadLimits & Pick<Config, "keyCacheTtlMs" | "keyCacheMax">,
  projects: Projects,
): Shared {
  const budget = new ByteBudget(config);
  return {
    budget,
    uploads: new Uploads(config, budget),
    turns: new Turns(),
    aside: new Aside(),
    keys: new ProjectKeys(projects, config.keyCacheTtlMs, config.keyCacheMax),
  };
}
