import type { QueryNode } from "../../api/node.ts";
import type { ChartWish } from "../../kinds/view/sql/chartWish.ts";
import { chartWishOf, withChartWish } from "../../kinds/view/sql/chartWish.ts";
import { sourceOf } from "../../kinds/wrapping.ts";
import { type SqlVariables, variablesOf } from "./variables.ts";

/** A question in SQL, as the page has it. */
export interface SqlQuestion {
  query: string;
  variables: SqlVariables;
  chart: ChartWish;
  /** What else the node had, such as filters: it is kept. */
  rest: Readonly<Record<string, unknown>>;
}

export const NEW_QUESTION: SqlQuestion = { query: "", variables: {}, chart: {}, rest: {} };

/** The question of a node, wrapped or not; null for one that is no SQL. */
export function questionOf(node: QueryNode): SqlQuestion | null {
  const { kind, query, variables, response: _, ...rest } = sourceOf(node);
  if (kind !== "HogQLQuery" || typeof query !== "string") return null;
  return { query, variables: (variables ?? {}) as SqlVariables, chart: chartWishOf(node), rest };
}

/** What is asked. */
export function sourceOfQuestion({ query, variables, rest }: SqlQuestion): QueryNode {
  const used = variablesOf(query, variables);
  return { ...rest, kind: "HogQLQuery", query, ...(used !== undefined && { variables: used }) };
}

/** What is saved: the question with how it is shown, in PostHog's wrapper. */
export const nodeOfQuestion = (question: SqlQuestion): QueryNode =>
  withChartWish({ kind: "DataVisualizationNode", source: sourceOfQuestion(question) }, question.chart);
