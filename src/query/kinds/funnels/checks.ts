import { type SeriesNode, sameEntity } from "../../insight/series.ts";
import { invalidQuery } from "../../shape/errors.ts";
import type { FunnelsQuery } from "./node.ts";

/** Refuses steps and ranges that make no funnel. Errors: TerminalError `invalid_query` that names the place. */
export function checkFunnel(query: FunnelsQuery): void {
  checkRange(query);
  checkExclusions(query);
  checkOptional(query);
  checkAttribution(query);
}

function checkRange({ series, funnelsFilter: { funnelFromStep: from, funnelToStep: to } }: FunnelsQuery): void {
  const last = series.length - 1;
  if (from != null && (from < 0 || from > last - 1)) {
    throw invalidQuery("funnelsFilter.funnelFromStep", `must be between 0 and ${last - 1}`);
  }
  if (to == null) return;
  if (to < 1 || to > last) throw invalidQuery("funnelsFilter.funnelToStep", `must be between 1 and ${last}`);
  if (from != null && from >= to) throw invalidQuery("funnelsFilter.funnelToStep", "must be after funnelFromStep");
}

function checkExclusions({ series, exclusions, funnelsFilter }: FunnelsQuery): void {
  const last = series.length - 1;
  for (const { node, from, to, place } of exclusions) {
    if (from < 0 || from >= last) throw invalidQuery(`${place}.funnelFromStep`, `must be between 0 and ${last - 1}`);
    if (to > last) throw invalidQuery(`${place}.funnelToStep`, `must be at most ${last}`);
    if (to <= from) throw invalidQuery(`${place}.funnelToStep`, "must be after funnelFromStep");
    if (funnelsFilter.funnelOrderType === "unordered" && (from !== 0 || to !== last)) {
      throw invalidQuery(place, "an unordered funnel can only have exclusions from its first to its last step");
    }
    const step = series.findIndex((one, i) => i >= from && i <= to && includes(one, node));
    if (step >= 0) throw invalidQuery(place, `excludes what step ${step + 1} asks for`);
  }
}

function checkOptional({ series, funnelsFilter }: FunnelsQuery): void {
  const first = series.findIndex(isOptional);
  if (first < 0) return;
  const place = `series.${first}.optionalInFunnel`;
  const { funnelVizType, funnelOrderType } = funnelsFilter;
  if ((funnelVizType ?? "steps") !== "steps" || funnelOrderType === "unordered") {
    throw invalidQuery(place, "only ordered and strict funnels that are shown as steps can have optional steps");
  }
  if (first === 0) throw invalidQuery(place, "the first step cannot be optional");
  series.forEach((node, i) => {
    const next = series[i + 1];
    if (next === undefined || !isOptional(node) || isOptional(next) || !includes(next, node)) return;
    throw invalidQuery(
      `series.${i}.optionalInFunnel`,
      "an optional step cannot be the same as the required one after it",
    );
  });
}

function checkAttribution({ series, funnelsFilter }: FunnelsQuery): void {
  const { breakdownAttributionType: type, breakdownAttributionValue: step, funnelOrderType } = funnelsFilter;
  if (type !== "step") return;
  const place = "funnelsFilter.breakdownAttributionValue";
  const last = funnelOrderType === "unordered" ? 0 : series.length - 1;
  if (step == null || step < 0 || step > last) {
    throw invalidQuery(place, last === 0 ? "must be 0" : `must be between 0 and ${last}`);
  }
}

export const isOptional = (node: SeriesNode): boolean => node.optionalInFunnel === true;

/** Whether whatever fits the second node plainly fits the first: of the same events it asks for no more. */
function includes(wide: SeriesNode, narrow: SeriesNode): boolean {
  if (!sameEntity(wide, narrow)) return false;
  return (["properties", "fixedProperties"] as const).every((member) => {
    const rest = textsOf(narrow[member]);
    return textsOf(wide[member]).every((text) => rest.includes(text));
  });
}

const textsOf = (filters: unknown): string[] =>
  Array.isArray(filters) ? filters.map((one) => JSON.stringify(one)) : filters == null ? [] : [JSON.stringify(filters)];
