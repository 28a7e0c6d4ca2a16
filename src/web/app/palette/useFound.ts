import { useEffect, useMemo, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { eventOf as eventDefOf, type GroupTypeDef, propertyOf as propertyDefOf } from "../question/definition.ts";
import { useGroupTypes } from "../question/definitions.ts";
import { may } from "../session/rights.ts";
import type { Section } from "./groups.ts";
import { dashboardOf, eventOf, groupOf, insightOf, personOf, propertyOf } from "./records.ts";
import type { Target } from "./target.ts";

/** After the last letter. */
const PAUSE_MS = 200;
/** A letter alone is in the name of nearly everyone. */
const OWNERS_FROM = 2;
const LIMIT = 20;

interface Found {
  targets: readonly Target[];
  isLoading: boolean;
}
const NOTHING: Found = { targets: [], isLoading: false };

/** What was found of a section, and for what. */
interface Part {
  key: string;
  targets: readonly Target[];
}

/**
 * What the server finds for a text among persons and groups, and in lists that are too long to be here whole: asked in the pauses of typing, and
 * each there when it has come. A newer text ends what was asked for the one before.
 */
export function useFound(projectId: number, typed: string, incomplete: ReadonlySet<Section>): Found {
  const text = typed.trim();
  const types = useGroupTypes(may("group:read") ? projectId : null);
  const owners: Section[] = [
    ...(may("person:read") ? ["Persons" as const] : []),
    ...(types.length > 0 ? ["Groups" as const] : []),
  ];
  const sections = [...incomplete, ...(text.length >= OWNERS_FROM ? owners : [])];
  const key = text === "" || sections.length === 0 ? "" : `${projectId} ${sections.join()} ${text}`;
  const [parts, setParts] = useState<Partial<Record<Section, Part>>>({});
  useEffect(() => {
    if (key === "") return;
    const control = new AbortController();
    const ask = async (section: Section) => {
      const found = await (ASKED[section]?.(projectId, text, control.signal, types) ?? NONE).catch(() => []);
      const targets = found.map((one) => ({ ...one, isFound: true }));
      if (!control.signal.aborted) setParts((parts) => ({ ...parts, [section]: { key, targets } }));
    };
    const timer = setTimeout(() => {
      for (const section of sections) void ask(section);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [key]);
  return useMemo(() => {
    if (key === "") return NOTHING;
    const known = sections.map((section) => parts[section]);
    return {
      // What was found for the text before stays until the new has come; what does not fit any more is left out by its caller.
      targets: known.flatMap((part) => (part?.key === key ? part.targets : (part?.targets.map(unsure) ?? []))),
      isLoading: known.some((part) => part?.key !== key),
    };
  }, [key, parts]);
}

const NONE: Promise<Target[]> = Promise.resolve([]);
const unsure = (one: Target): Target => ({ ...one, isFound: false });

type Ask = (
  projectId: number,
  search: string,
  signal: AbortSignal,
  types: readonly GroupTypeDef[],
) => Promise<Target[]>;

const paramsOf = (projectId: number) => ({ project_id: String(projectId) });

const ASKED: Partial<Record<Section, Ask>> = {
  async Persons(projectId, search, signal) {
    const query = { search, limit: LIMIT };
    const params = paramsOf(projectId);
    const { results } = await call("GET /api/environments/{project_id}/persons/", { params, query, signal });
    return results.map((one) => personOf(projectId, one));
  },
  async Groups(projectId, search, signal, types) {
    const params = paramsOf(projectId);
    const found = types.map(async ({ index, name }) => {
      const query = { search, limit: LIMIT, group_type_index: index as 0 };
      const { results } = await call("GET /api/environments/{project_id}/groups/", { params, query, signal });
      return results.map((one) => groupOf(projectId, name, one));
    });
    return (await Promise.all(found)).flat();
  },
  async Dashboards(projectId, search, signal) {
    const query = { search, limit: LIMIT };
    const params = paramsOf(projectId);
    const { results } = await call("GET /api/environments/{project_id}/dashboards/", { params, query, signal });
    return results.map((one) => dashboardOf(projectId, one));
  },
  async Insights(projectId, search, signal) {
    const query = { basic: true, saved: true, search, limit: LIMIT };
    const params = paramsOf(projectId);
    const { results } = await call("GET /api/environments/{project_id}/insights/", { params, query, signal });
    return results.map((one) => insightOf(projectId, one));
  },
  async Events(projectId, search, signal) {
    const query = { search, limit: LIMIT, exclude_hidden: true };
    const params = paramsOf(projectId);
    const { results } = await call("GET /api/environments/{project_id}/event_definitions/", { params, query, signal });
    return results.map((one) => eventOf(projectId, eventDefOf(one)));
  },
  async Properties(projectId, search, signal) {
    const query = { search, limit: LIMIT, exclude_hidden: true };
    const params = paramsOf(projectId);
    const route = "GET /api/environments/{project_id}/property_definitions/";
    const { results } = await call(route, { params, query, signal });
    return results.map((one) => propertyOf(projectId, propertyDefOf(one)));
  },
};
