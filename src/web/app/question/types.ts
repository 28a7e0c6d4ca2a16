import type { QueryNode } from "../api/node.ts";

/** An event, an action, or several of these together, as a series or a step asks for it. */
export interface EntityNode {
  kind: "EventsNode" | "ActionsNode" | "GroupNode";
  /** Of an EventsNode; null: any event. */
  event?: string | null;
  /** Of an ActionsNode. */
  id?: number;
  name?: string;
  custom_name?: string;
  properties?: readonly PropertyFilter[];
  math?: string;
  math_property?: string;
  math_property_type?: string;
  math_hogql?: string;
  math_group_type_index?: number;
  /** Of a GroupNode. */
  nodes?: readonly EntityNode[];
  operator?: "AND" | "OR";
  optionalInFunnel?: boolean;
}

/** docs/queries.md, "Property filters". */
export interface PropertyFilter {
  type: string;
  key: string;
  operator?: string;
  value?: unknown;
  group_type_index?: number;
  [member: string]: unknown;
}

/** Two levels: groups of filters. */
export interface FilterGroup {
  type: "AND" | "OR";
  values: readonly { type: "AND" | "OR"; values: readonly PropertyFilter[] }[];
}

export interface DateRange {
  date_from?: string | null;
  date_to?: string | null;
  explicitDate?: boolean;
}

export interface Breakdown {
  type: string;
  property: string | number;
  group_type_index?: number;
  normalize_url?: boolean;
  histogram_bin_count?: number;
}

export interface BreakdownFilter {
  breakdowns?: readonly Breakdown[];
  breakdown_limit?: number;
  breakdown_hide_other_aggregation?: boolean;
  [member: string]: unknown;
}

/** A property that was picked. */
export interface PickedProperty {
  type: "event" | "person" | "group" | "session" | "cohort" | "hogql" | "element" | "event_metadata";
  key: string;
  group_type_index?: number;
  /** Of a cohort its id; its name is the key. */
  value?: number;
  /** What it holds, where that was known when it was picked. */
  valueType?: "String" | "Numeric" | "Boolean" | "DateTime" | "Duration" | null;
}

/** What questions about series have in common. */
export interface SeriesNode extends QueryNode {
  series: readonly EntityNode[];
  dateRange?: DateRange;
  interval?: string;
  properties?: FilterGroup | readonly PropertyFilter[];
  filterTestAccounts?: boolean;
  samplingFactor?: number | null;
  breakdownFilter?: BreakdownFilter;
  compareFilter?: { compare?: boolean; compare_to?: string };
  aggregation_group_type_index?: number | null;
}
