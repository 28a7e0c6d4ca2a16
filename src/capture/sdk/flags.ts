import type { JsonObject } from "../../types/mod.ts";

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

/**
 * What the service tells a browser SDK about itself. Each key is there because posthog-js reads it: for some an absent
 * key is not "off" but "keep what an earlier answer said" (`sessionRecording`, `autocapture_opt_out`), so everything
 * that Weir does not do is reported as off, and then the SDK neither asks for it nor sends it.
 */
export function remoteConfig(token: string): JsonObject {
  return {
    token,
    supportedCompression: ["gzip", "gzip-js", "base64"],
    analytics: { endpoint: "/i/v0/e/" },
    elementsChainAsString: true,
    defaultIdentifiedOnly: true,
    autocapture_opt_out: false,
    autocaptureExceptions: false,
    errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
    captureDeadClicks: false,
    capturePerformance: false,
    heatmaps: false,
    logs: { captureConsoleLogs: false },
    sessionRecording: false,
    hasFeatureFlags: false,
    surveys: false,
    productTours: false,
    conversations: false,
    siteApps: [],
    isAuthenticated: false,
    toolbarParams: {},
  };
}

/** The same as a script, which is how posthog-js asks first; it asks for JSON where it may load no scripts. */
export function remoteConfigScript(token: string): string {
  const name = JSON.stringify(token);
  const value = JSON.stringify({ config: remoteConfig(token), siteApps: [] });
  return `(window._POSTHOG_REMOTE_CONFIG = window._POSTHOG_REMOTE_CONFIG || {})[${name}] = ${value};\n`;
}
