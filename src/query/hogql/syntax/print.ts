import type { Expression, Join, LimitBy, Order, Query, Select, Values, Window, WindowFrame } from "./tree.ts";

/** HogQL text of a tree, in the form that PostHog prints: operators as functions, names quoted where they must be. */

const COMPARISONS: Record<string, (left: string, right: string) => string> = {
  "==": (a, b) => `equals(${a}, ${b})`,
  "!=": (a, b) => `notEquals(${a}, ${b})`,
  "<": (a, b) => `less(${a}, ${b})`,
  "<=": (a, b) => `lessOrEquals(${a}, ${b})`,
  ">": (a, b) => `greater(${a}, ${b})`,
  ">=": (a, b) => `greaterOrEquals(${a}, ${b})`,
  like: (a, b) => `like(${a}, ${b})`,
  "not like": (a, b) => `notLike(${a}, ${b})`,
  ilike: (a, b) => `ilike(${a}, ${b})`,
  "not ilike": (a, b) => `notILike(${a}, ${b})`,
  in: (a, b) => `in(${a}, ${b})`,
  "not in": (a, b) => `notIn(${a}, ${b})`,
  "=~": (a, b) => `match(${a}, ${b})`,
  "!~": (a, b) => `not(match(${a}, ${b}))`,
  "=~*": (a, b) => `match(${a}, concat('(?i)', ${b}))`,
  "!~*": (a, b) => `not(match(${a}, concat('(?i)', ${b})))`,
};

const ARITHMETIC = { "+": "plus", "-": "minus", "*": "multiply", "/": "divide", "%": "modulo" };

const ESCAPES: Record<string, string> = {
  "\b": "\\b",
  "\f": "\\f",
  "\r": "\\r",
  "\n": "\\n",
  "\t": "\\t",
  "\0": "\\0",
  "\\": "\\\\",
};

function quote(text: string, mark: string, escapedMark: string): string {
  return mark + text.replace(/[\b\f\r\n\t\0\\]/g, (char) => ESCAPES[char]!).replaceAll(mark, escapedMark) + mark;
}

export function printName(name: string | number): string {
  if (typeof name === "number" || name === "*") return String(name);
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : quote(name, "`", "``");
}

function printConstant(value: unknown): string {
  if (typeof value === "string") return quote(value, "'", "\\'");
  if (value === null) return "NULL";
  if (typeof value === "object" && "value" in value) return String(value.value);
  return String(value);
}

const list = (nodes: readonly Expression[] | null | undefined): string => (nodes ?? []).map(printExpression).join(", ");

export function printExpression(node: Expression): string {
  switch (node.node) {
    case "Field":
      return node.chain.map(printName).join(".");
    case "Embedded":
      return printExpression(node.expr);
    case "Constant":
      return printConstant(node.value);
    case "Alias":
      return `${printExpression(node.expr)} AS ${printName(node.alias)}`;
    case "Call": {
      const params = node.params == null ? "" : `(${list(node.params)})`;
      const order = (node.order_by ?? []).length > 0 ? ` ORDER BY ${node.order_by!.map(printOrder).join(", ")}` : "";
      const filter = node.filter_expr == null ? "" : ` FILTER (WHERE ${printExpression(node.filter_expr)})`;
      return `${node.name}${params}(${node.distinct ? "DISTINCT " : ""}${list(node.args)}${order})${filter}`;
    }
    case "CompareOperation":
      return (COMPARISONS[node.op] ?? ((a, b) => `${a} ${node.op} ${b}`))(
        printExpression(node.left),
        printExpression(node.right),
      );
    case "IsDistinctFrom":
      return `${printExpression(node.left)} IS ${node.negated ? "NOT " : ""}DISTINCT FROM ${printExpression(node.right)}`;
    case "BetweenExpr":
      return `${printExpression(node.expr)}${node.negated ? " NOT" : ""} BETWEEN ${printExpression(node.low)} AND ${printExpression(node.high)}`;
    case "And":
    case "Or":
      return `${node.node.toLowerCase()}(${list(node.exprs)})`;
    case "Not":
      return `not(${printExpression(node.expr)})`;
    case "ArithmeticOperation":
      return `${ARITHMETIC[node.op]}(${printExpression(node.left)}, ${printExpression(node.right)})`;
    case "Array":
      return `[${list(node.exprs)}]`;
    case "Tuple":
      return `tuple(${list(node.exprs)})`;
    case "ArrayAccess":
      return `${printExpression(node.array)}[${printExpression(node.property)}]`;
    case "TupleAccess":
      return `${printExpression(node.tuple)}.${node.index}`;
    case "TypeCast":
    case "TryCast":
      return `${node.node === "TryCast" ? "TRY_CAST" : "CAST"}(${printExpression(node.expr)} AS ${node.type_name})`;
    case "Placeholder":
      return `{${printExpression(node.expr)}}`;
    case "SelectQuery":
    case "SelectSetQuery":
      return `(${printQuery(node)})`;
    case "Lambda":
      return `${node.args.length === 1 ? printName(node.args[0]!) : `(${node.args.map(printName).join(", ")})`} -> ${printExpression(node.expr)}`;
    case "WindowFunction": {
      const over = node.over_expr == null ? printName(node.over_identifier ?? "") : `(${printWindow(node.over_expr)})`;
      const args = node.args.length > 0 ? `(${list(node.args)})` : "";
      return `${node.name}(${list(node.exprs)})${args} OVER ${over}`;
    }
    case "ArraySlice": {
      const [from, to] = [node.start_expr, node.end_expr].map((edge) => (edge == null ? "" : printExpression(edge)));
      return `${printExpression(node.array)}[${from}:${to}]`;
    }
    default:
      return (node as { node: string }).node;
  }
}

function printOrder(order: Order): string {
  return `${printExpression(order.expr)} ${order.order}`;
}

function printWindow(window: Window): string {
  const parts = [
    (window.partition_by ?? []).length > 0 ? `PARTITION BY ${list(window.partition_by)}` : null,
    (window.order_by ?? []).length > 0 ? `ORDER BY ${window.order_by!.map(printOrder).join(", ")}` : null,
    window.frame_method == null ? null : printFrame(window),
  ];
  return parts.filter((part) => part !== null).join(" ");
}

function printFrame({ frame_method: method, frame_start: start, frame_end: end }: Window): string {
  const bound = (edge: WindowFrame | null | undefined): string => {
    if (edge == null || edge.frame_type === "CURRENT ROW") return "CURRENT ROW";
    const { frame_value: distance } = edge;
    const shown =
      typeof distance === "object" && distance !== null ? printExpression(distance) : (distance ?? "UNBOUNDED");
    return `${shown} ${edge.frame_type}`;
  };
  return end == null ? `${method} ${bound(start)}` : `${method} BETWEEN ${bound(start)} AND ${bound(end)}`;
}

const printRows = ({ rows }: Values): string => `(VALUES ${rows.map((row) => `(${list(row)})`).join(", ")})`;

function printJoin(join: Join): string {
  const { table: from } = join;
  const table = from == null ? "" : from.node === "ValuesQuery" ? printRows(from) : printExpression(from);
  const args = join.table_args == null ? "" : `(${list(join.table_args)})`;
  const alias = join.alias == null ? "" : ` AS ${printName(join.alias)}`;
  const next = join.next_join == null ? "" : ` ${join.next_join.join_type} ${printJoin(join.next_join)}`;
  const columns = join.column_aliases == null ? "" : `(${join.column_aliases.map(printName).join(", ")})`;
  return `${table}${args}${alias}${columns}${printConstraint(join)}${next}`;
}

function printConstraint({ constraint }: Join): string {
  if (constraint == null) return "";
  if (constraint.constraint_type === "ON") return ` ON ${printExpression(constraint.expr)}`;
  const { expr } = constraint;
  return ` USING (${expr.node === "Tuple" ? list(expr.exprs) : printExpression(expr)})`;
}

/** A query; `defaultLimit` is shown where a SELECT of the top has none. */
export function printQuery(node: Query, defaultLimit: number | null = null): string {
  if (node.node === "SelectQuery") return printSelect(node, defaultLimit);
  const limit = node.limit == null ? null : `LIMIT ${printExpression(node.limit)}`;
  const offset = node.offset == null ? null : `OFFSET ${printExpression(node.offset)}`;
  const branches = [
    printBranch(node.initial_select_query, defaultLimit),
    ...node.subsequent_select_queries.map(
      (next) => `${next.set_operator} ${printBranch(next.select_query, defaultLimit)}`,
    ),
  ];
  const joined = branches.join(" ");
  if (limit === null && offset === null) return joined;
  return [`(${joined})`, limit, offset].filter((part) => part !== null).join(" ");
}

/** A set of queries inside of another stands in brackets. */
function printBranch(node: Query, defaultLimit: number | null): string {
  const printed = printQuery(node, defaultLimit);
  return node.node === "SelectSetQuery" ? `(${printed})` : printed;
}

function printGroups({ group_by: groups, group_by_mode: mode }: Select): string | null {
  if (groups == null || groups.length === 0) return null;
  const shown = groups.map((key) => (key.node === "GroupingSet" ? `(${list(key.exprs)})` : printExpression(key)));
  const joined = shown.join(", ");
  if (mode == null || mode === "all") return `GROUP BY ${joined}`;
  return `GROUP BY ${mode.replace("_", " ").toUpperCase()}(${joined})`;
}

function printLimitBy({ n, offset_value: offset, exprs }: LimitBy): string {
  const skipped = offset == null ? "" : ` OFFSET ${printExpression(offset)}`;
  return `LIMIT ${printExpression(n)}${skipped} BY ${list(exprs)}`;
}

function printSelect(node: Select, defaultLimit: number | null): string {
  const ctes = (node.ctes ?? []).map((cte) =>
    cte.cte_type === "column"
      ? `${printExpression(cte.expr)} AS ${printName(cte.name)}`
      : `${printName(cte.name)} AS ${printExpression(cte.expr)}`,
  );
  const windows = Object.entries(node.window_exprs ?? {}).map(
    ([key, window]) => `${printName(key)} AS (${printWindow(window)})`,
  );
  const limit = node.limit == null ? defaultLimit : printExpression(node.limit);
  const parts: (string | null)[] = [
    ctes.length > 0 ? `WITH ${ctes.join(", ")}` : null,
    `SELECT ${node.distinct ? "DISTINCT " : ""}${list(node.select)}`,
    node.select_from == null ? null : `FROM ${printJoin(node.select_from)}`,
    node.array_join_op == null ? null : `${node.array_join_op} ${list(node.array_join_list)}`,
    node.prewhere == null ? null : `PREWHERE ${printExpression(node.prewhere)}`,
    node.where == null ? null : `WHERE ${printExpression(node.where)}`,
    printGroups(node),
    node.having == null ? null : `HAVING ${printExpression(node.having)}`,
    node.qualify == null ? null : `QUALIFY ${printExpression(node.qualify)}`,
    windows.length === 0 ? null : `WINDOW ${windows.join(", ")}`,
    (node.order_by ?? []).length > 0 ? `ORDER BY ${node.order_by!.map(printOrder).join(", ")}` : null,
    node.limit_by == null ? null : printLimitBy(node.limit_by),
    limit === null ? null : `LIMIT ${limit}`,
    node.offset == null ? null : `OFFSET ${printExpression(node.offset)}`,
  ];
  return parts.filter((part) => part !== null).join(" ");
}
