import type { JsonObject } from "../../types/mod.ts";
import { remoteConfig } from "./remoteConfig.ts";

/** The empty set of flags, in the form that version `v` of the question expects. */
function noFlags(version: number): JsonObject {
  if (version >= 4) return { flags: {} };
  if (version === 3) return { featureFlags: {}, featureFlagPayloads: {} };
  return { featureFlags: version === 2 ? {} : [] };
}

/** `/flags/?v=1` and `/flags/?v=2` are what `/decide` called 3 and 4. */
const DECIDE_VERSION_OF_FLAGS_1 = 3;

/** The answer to `/flags`: no flag is defined, and nothing failed. `isWithConfig` adds the remote config. */
export function flagsAnswer(token: string, version: number, isWithConfig: boolean, nowMs: number): JsonObject {
  return {
    ...(isWithConfig ? remoteConfig(token) : {}),
    ...noFlags(version >= 2 ? version + 2 : DECIDE_VERSION_OF_FLAGS_1),
    errorsWhileComputingFlags: false,
    requestId: crypto.randomUUID(),
    evaluatedAt: nowMs,
  };
}

/** The answer to `/decide`, by which older SDKs got flags and config in one. */
export function decideAnswer(token: string, version: number): JsonObject {
  return {
    config: { enable_collect_everything: true },
    ...remoteConfig(token),
    ...noFlags(version),
    errorsWhileComputingFlags: false,
  };
}
