import type { Source } from "../types.ts";

/** Products that history comes from; each has a folder here, whose face gives its `Source`. */
const NAMES = ["posthog", "mixpanel", "amplitude", "segment", "ga4", "umami", "file", "weir"] as const;

/** The source of a name; null where there is none. Its modules are loaded when it is asked for. */
export async function findSource(name: string): Promise<Source<unknown> | null> {
  if (!NAMES.some((known) => known === name)) return null;
  const face: Record<string, unknown> = await import(`./${name}/mod.ts`).catch(() => ({}));
  return Object.values(face).find(isSource) ?? null;
}

/** All of them, in the order in which they are shown. */
export async function allSources(): Promise<Source<unknown>[]> {
  const found = await Promise.all(NAMES.map(findSource));
  return found.filter((source) => source !== null);
}

function isSource(value: unknown): value is Source<unknown> {
  return typeof value === "object" && value !== null && "stages" in value && "mappingOf" in value;
}
