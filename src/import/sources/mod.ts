import type { Source } from "../types.ts";

/** Products that history comes from, in the order in which they are shown. A source is loaded when it is asked for. */
const SOURCES: Readonly<Record<string, () => Promise<unknown>>> = {
  posthog: async () => (await import("./posthog/mod.ts")).posthog,
  mixpanel: async () => (await import("./mixpanel/mod.ts")).mixpanel,
  amplitude: async () => (await import("./amplitude/mod.ts")).amplitude,
  segment: async () => (await import("./segment/mod.ts")).segment,
  ga4: async () => (await import("./ga4/mod.ts")).ga4,
  umami: async () => (await import("./umami/mod.ts")).umami,
  file: async () => (await import("./file/mod.ts")).file,
  weir: async () => (await import("./weir/mod.ts")).weir,
};

export const SOURCE_NAMES: readonly string[] = Object.keys(SOURCES);

/** The source of a name; null where there is none. What it makes of its arguments it alone understands. */
export async function findSource(name: string): Promise<Source<unknown> | null> {
  const load = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  return load === undefined ? null : ((await load()) as Source<unknown>);
}
