import type { Program } from "../../../walk/mod.ts";
import type { At } from "../../shape/errors.ts";

/** The syntax tree that @posthog/hogql-parser gives, as far as it is compiled. Offsets count characters of the text. */

/** A query that may be made of a node. */
interface Made extends At {
  /** Where that node stands inside of another one, for errors. */
  place?: string;
}

export interface Select extends Made {
  node: "SelectQuery";
  ctes?: Cte[] | null;
  select: Expression[];
  distinct?: boolean | null;
  select_from?: Join | null;
  where?: Expression | null;
  prewhere?: Expression | null;
  group_by?: (Expression | GroupingSet)[] | null;
  group_by_mode?: string | null;
  having?: Expression | null;
  qualify?: Expression | null;
  order_by?: Order[] | null;
  limit?: Expression | null;
  offset?: Expression | null;
  limit_with_ties?: boolean | null;
  limit_by?: LimitBy | null;
  array_join_op?: string | null;
  array_join_list?: Expression[] | null;
  window_exprs?: Record<string, Window> | null;
  /**
   * Of a tree that is made: a walk whose table has the same rows and columns; it is asked where journeys make it the faster way. `made`: a
   * SELECT of `actor` and `at_ms`, when each was made, where the walk asks for it.
   */
  instead?: { rows: Query; program: Program; made?: Query };
}

export interface LimitBy {
  n: Expression;
  offset_value?: Expression | null;
  exprs: Expression[];
}

/** One of `GROUPING SETS (…)`. */
export interface GroupingSet extends At {
  node: "GroupingSet";
  exprs: Expression[];
}

export interface SelectSet extends Made {
  node: "SelectSetQuery";
  initial_select_query: Query;
  subsequent_select_queries: { select_query: Query; set_operator: string }[];
  limit?: Expression | null;
  offset?: Expression | null;
}

export type Query = Select | SelectSet;

export interface Cte extends At {
  node: "CTE";
  name: string;
  expr: Query | Expression;
  cte_type: "subquery" | "column";
  recursive?: boolean | null;
  columns?: string[] | null;
}

export interface Join extends At {
  node: "JoinExpr";
  table?: Query | Values | Expression | null;
  table_args?: Expression[] | null;
  alias?: string | null;
  column_aliases?: string[] | null;
  join_type?: string | null;
  constraint?: { constraint_type: "ON" | "USING"; expr: Expression } | null;
  next_join?: Join | null;
  /** Of the table `events` in a tree that is made: which of its files are read, or only `names` of events in journeys. */
  files?: "journeyed" | "others" | "names" | "values" | undefined;
  /** With `files`: no rows at other times are read, epoch ms, both ends included. */
  within?: { fromMs: number | null; toMs: number | null } | undefined;
  sample?: unknown;
  table_final?: boolean | null;
}

/** `(VALUES (1, 'a'), (2, 'b'))`. */
export interface Values extends At {
  node: "ValuesQuery";
  rows: Expression[][];
}

export interface Order extends At {
  node: "OrderExpr";
  expr: Expression;
  order: "ASC" | "DESC";
  with_fill?: unknown;
}

export interface Field extends At {
  node: "Field";
  chain: (string | number)[];
  /** Of a made tree: the value is only told apart from others, so anything that does so will do. */
  isIdentity?: boolean;
  /** Of a made tree: of a time only its day counts. */
  isOfDay?: boolean;
}
/** Of a made tree: HogQL of a user over the events of the SELECT alone; it does not see the aliases of the SELECT. */
export interface Embedded extends At {
  node: "Embedded";
  expr: Expression;
  use: "condition" | "value" | "aggregate";
  /** The field of the query node, for errors. */
  place: string;
  /** Whether it may name what the question may not: `QueryRecords.inside`. */
  isInside?: true;
}
export interface Constant extends At {
  node: "Constant";
  value: unknown;
}
export interface Alias extends At {
  node: "Alias";
  alias: string;
  expr: Expression;
}
export interface Call extends At {
  node: "Call";
  name: string;
  args: Expression[];
  params?: Expression[] | null;
  distinct?: boolean | null;
  filter_expr?: Expression | null;
  order_by?: Order[] | null;
}
export interface Lambda extends At {
  node: "Lambda";
  args: string[];
  expr: Expression;
}
/** `f(exprs) OVER …`, `f(exprs)(args) OVER …`. */
export interface WindowCall extends At {
  node: "WindowFunction";
  name: string;
  exprs?: Expression[] | null;
  args: Expression[];
  over_expr?: Window | null;
  over_identifier?: string | null;
}
export interface Window extends At {
  node: "WindowExpr";
  partition_by?: Expression[] | null;
  order_by?: Order[] | null;
  frame_method?: "ROWS" | "RANGE" | null;
  frame_start?: WindowFrame | null;
  frame_end?: WindowFrame | null;
}
export interface WindowFrame extends At {
  node: "WindowFrameExpr";
  frame_type: "CURRENT ROW" | "PRECEDING" | "FOLLOWING";
  /** Null is UNBOUNDED. */
  frame_value?: number | Expression | null;
}
export interface Compare extends At {
  node: "CompareOperation";
  left: Expression;
  op: string;
  right: Expression;
}
export interface Between extends At {
  node: "BetweenExpr";
  expr: Expression;
  low: Expression;
  high: Expression;
  negated: boolean;
}
export interface Logic extends At {
  node: "And" | "Or";
  exprs: Expression[];
}
export interface Not extends At {
  node: "Not";
  expr: Expression;
}
export interface Arithmetic extends At {
  node: "ArithmeticOperation";
  left: Expression;
  op: "+" | "-" | "*" | "/" | "%";
  right: Expression;
}
export interface List extends At {
  node: "Array" | "Tuple";
  exprs: Expression[];
}
export interface ArrayAccess extends At {
  node: "ArrayAccess";
  array: Expression;
  property: Expression;
}
export interface ArraySlice extends At {
  node: "ArraySlice";
  array: Expression;
  start_expr?: Expression | null;
  end_expr?: Expression | null;
}
export interface TupleAccess extends At {
  node: "TupleAccess";
  tuple: Expression;
  index: number;
}
export interface Cast extends At {
  node: "TypeCast" | "TryCast";
  expr: Expression;
  type_name: string;
}
export interface Placeholder extends At {
  node: "Placeholder";
  expr: Expression;
}
export interface Distinct extends At {
  node: "IsDistinctFrom";
  left: Expression;
  right: Expression;
  negated: boolean;
}

export type Expression =
  | Field
  | Embedded
  | Constant
  | Alias
  | Call
  | Compare
  | Between
  | Logic
  | Not
  | Arithmetic
  | List
  | ArrayAccess
  | TupleAccess
  | Cast
  | Placeholder
  | Distinct
  | Lambda
  | WindowCall
  | ArraySlice
  | Query;

/** Something of the tree that is no SELECT. */
export type Part = Expression | Order | Window | WindowFrame | GroupingSet;

/** Calls `visit` for each node directly under `node`. */
export function eachChild(node: Part, visit: (child: Part) => void): void {
  for (const value of Object.values(node)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && typeof item === "object" && "node" in item) visit(item as Part);
    }
  }
}

export function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
