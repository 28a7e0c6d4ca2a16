import type { QueryNode } from "../../api/node.ts";
import { eventLabel, propertyLabel } from "../../question/names.ts";
import type { Drill } from "../drill.ts";
import { countOf } from "../parts/counts.ts";
import type { FunnelsNode } from "./node.ts";

/** What is compared: what people did, the properties of one event, or of the people. */
export type Compared = { type: "events" } | { type: "event_with_properties"; event: string } | { type: "properties" };

/** Something that goes with converting, or with not converting. */
export interface Correlation {
  event: { event: string };
  success_count: number;
  failure_count: number;
  odds_ratio: number;
  correlation_type: "success" | "failure";
}

export interface CorrelationResults {
  events: Correlation[];
  skewed: boolean;
}

/** Properties that differ for everybody, or that the libraries write down for themselves. */
const EXCLUDED = ["$initial_referrer", "$creator_event_uuid", "$initial_current_url", "$current_url", "email", "name"];
const EXCLUDED_OF_EVENTS = ["$session_id", "$window_id", "$insert_id", "$time", "$pageview_id", "distinct_id", "token"];

/** The question for what goes with converting. */
export function correlationNode(node: FunnelsNode, compared: Compared): QueryNode {
  const base = {
    kind: "FunnelCorrelationQuery",
    funnelCorrelationType: compared.type,
    source: { kind: "FunnelsActorsQuery", source: node },
  };
  switch (compared.type) {
    case "properties":
      return { ...base, funnelCorrelationNames: ["$all"], funnelCorrelationExcludeNames: EXCLUDED };
    case "event_with_properties":
      return {
        ...base,
        funnelCorrelationEventNames: [compared.event],
        funnelCorrelationEventExcludePropertyNames: EXCLUDED_OF_EVENTS,
      };
    default:
      return { ...base, funnelCorrelationExcludeEventNames: [] };
  }
}

const DIVIDER = "::";

/** A name in its parts: an event, or a property and its value. The value may have the divider within. */
export function readName(name: string, compared: Compared): { event: string | null; key: string; value: string } {
  const own = compared.type === "event_with_properties" ? compared.event + DIVIDER : "";
  const rest = name.startsWith(own) ? name.slice(own.length) : name;
  const at = rest.indexOf(DIVIDER);
  if (compared.type === "events" || at < 0) return { event: name, key: "", value: "" };
  return {
    event: compared.type === "event_with_properties" ? compared.event : null,
    key: rest.slice(0, at),
    value: rest.slice(at + DIVIDER.length),
  };
}

/** How it is shown: the event, or the property with its value. */
export function correlationLabel(name: string, compared: Compared): string {
  const { event, key, value } = readName(name, compared);
  if (key === "") return eventLabel(event);
  const owner = compared.type === "properties" ? "person" : "event";
  return `${propertyLabel(key, owner)} = ${value === "" ? "(none)" : value}`;
}

/** Values that no filter finds as they are told: nothing, lists and objects. */
const NOT_FOUND = /^(?:null|[[{].*|)$/s;

/**
 * Those who did it, or have it: those who converted, or those who did not. Null where no filter finds them.
 */
export function correlationDrill(
  node: FunnelsNode,
  compared: Compared,
  correlation: Correlation,
  hasConverted: boolean,
): Drill | null {
  const { event, key, value } = readName(correlation.event.event, compared);
  if (key !== "" && NOT_FOUND.test(value)) return null;
  const group = node.aggregation_group_type_index;
  const ofActor = typeof group === "number" ? { type: "group", group_type_index: group } : { type: "person" };
  const filter = { key, value: [value], operator: "exact" };
  const part =
    compared.type === "properties"
      ? { funnelCorrelationPropertyValues: [{ ...filter, ...ofActor }] }
      : {
          funnelCorrelationPersonEntity: {
            kind: "EventsNode",
            event,
            ...(key !== "" && { properties: [{ ...filter, type: "event" }] }),
          },
        };
  const label = correlationLabel(correlation.event.event, compared);
  return {
    title: `${label}, ${hasConverted ? "converted" : "dropped off"}`,
    count: countOf(node, hasConverted ? correlation.success_count : correlation.failure_count),
    source: {
      kind: "FunnelCorrelationActorsQuery",
      source: correlationNode(node, compared),
      ...part,
      funnelCorrelationPersonConverted: hasConverted,
    },
  };
}
