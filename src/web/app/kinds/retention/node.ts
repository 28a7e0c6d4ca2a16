import type {
  BreakdownFilter,
  DateRange,
  EntityNode,
  FilterGroup,
  PropertyFilter,
  SeriesNode,
} from "../../question/types.ts";
import { withMembers } from "../parts/members.ts";

/** What begins, or what counts as coming back: an event (null: any) or an action. */
export interface RetentionEntity {
  id?: string | number | null;
  type?: "events" | "actions";
  name?: string;
  custom_name?: string;
  properties?: readonly PropertyFilter[];
}

export type Period = "Hour" | "Day" | "Week" | "Month";

/** docs/queries.md, "RetentionQuery". */
export interface RetentionFilter {
  period?: Period;
  totalIntervals?: number;
  targetEntity?: RetentionEntity;
  returningEntity?: RetentionEntity;
  retentionType?: "retention_recurring" | "retention_first_time" | "retention_first_ever_occurrence";
  minimumOccurrences?: number;
  cumulative?: boolean;
  retentionCustomBrackets?: readonly number[];
  timeWindowMode?: "strict_calendar_dates" | "24_hour_windows";
  aggregationType?: "count" | "sum" | "avg";
  aggregationProperty?: string;
  aggregationPropertyType?: "event" | "person";
  /** For the eye alone: what a share is of. */
  retentionReference?: "total" | "previous";
  meanRetentionCalculation?: "simple" | "weighted" | "none";
  display?: string;
  [member: string]: unknown;
}

export interface RetentionNode extends Omit<SeriesNode, "series"> {
  kind: "RetentionQuery";
  retentionFilter: RetentionFilter;
  dateRange?: DateRange;
  properties?: FilterGroup | readonly PropertyFilter[];
  breakdownFilter?: BreakdownFilter;
  aggregation_group_type_index?: number | null;
  [member: string]: unknown;
}

export const DEFAULT_INTERVALS = 7;
export const MAX_INTERVALS = 52;
/** The number of a column has to fit. */
export const MAX_BRACKETS = 51;

const DEFAULT_ENTITY: RetentionEntity = { id: "$pageview", type: "events" };

/** The display of lines in place of the grid. */
export const LINES = "ActionsLineGraph";

export const isLines = ({ retentionFilter: { display } }: RetentionNode): boolean => display === LINES;

/** An entity as pickers know it. */
export function entityNode(entity: RetentionEntity = DEFAULT_ENTITY): EntityNode {
  const { id, type, name, custom_name, properties } = entity;
  const more = { ...(name && { name }), ...(custom_name && { custom_name }), ...(properties && { properties }) };
  if (type === "actions") return { kind: "ActionsNode", id: Number(id), ...more };
  return { kind: "EventsNode", event: id === null || id === undefined ? null : String(id), ...more };
}

/** An entity from what was picked. */
export function retentionEntity({ kind, event, id, name, custom_name, properties }: EntityNode): RetentionEntity {
  return {
    id: kind === "ActionsNode" ? id : (event ?? null),
    type: kind === "ActionsNode" ? "actions" : "events",
    ...(name && { name }),
    ...(custom_name && { custom_name }),
    ...(properties?.length && { properties }),
  };
}

/** The same node with members of its filter set; those set to undefined are left out. */
export const withFilter = (node: RetentionNode, filter: Partial<RetentionFilter>): RetentionNode => ({
  ...node,
  retentionFilter: withMembers(node.retentionFilter, filter),
});

/** The columns behind the first, in intervals after that of the cohort, both ends within. */
export function columnsOf({ retentionFilter }: RetentionNode): { from: number; to: number }[] {
  const { retentionCustomBrackets: brackets, totalIntervals = DEFAULT_INTERVALS } = retentionFilter;
  const sizes = brackets?.length ? brackets : new Array<number>(Math.max(0, totalIntervals - 1)).fill(1);
  let to = 0;
  return sizes.map((size) => {
    const from = to + 1;
    to += size;
    return { from, to };
  });
}

/** What the columns are called, as answers do: "Day 0", "Day 1-3". */
export function columnLabels(node: RetentionNode): string[] {
  const name = node.retentionFilter.period ?? "Day";
  return [
    `${name} 0`,
    ...columnsOf(node).map(({ from, to }) => (from === to ? `${name} ${from}` : `${name} ${from}-${to}`)),
  ];
}
