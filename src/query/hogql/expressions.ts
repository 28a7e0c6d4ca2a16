import { HogqlError } from "../errors.ts";
import { join, sql } from "../sql.ts";
import { compileCall } from "./calls.ts";
import { between, compare, inList } from "./compare.ts";
import {
  asBool,
  asCondition,
  asDate,
  asDatetime,
  asFloat,
  asInt,
  asNumeric,
  asText,
  asUuid,
  literal,
  unify,
} from "./convert.ts";
import { shift } from "./functions/mod.ts";
import { type CompiledQuery, compileQuery } from "./query.ts";
import { readInto, type Scope } from "./scope.ts";
import type { Arithmetic, ArrayAccess, Cast, Compare, Expression, Logic, Select } from "./tree.ts";
import { describe, typeOf, type Value, value } from "./types.ts";

/**
 * Compiles an expression. `isPositive`: the result only decides, and NULL decides like false (engine rule 17).
 * Errors: HogqlError with the place of the innermost expression that is wrong.
 */
export function compileExpression(node: Expression, scope: Scope, isPositive = false): Value {
  return placed(node, () => compile(node, scope, isPositive));
}

/** Compiles what decides about rows (WHERE, HAVING). */
export function compileCondition(node: Expression, scope: Scope): Value {
  const condition = compileExpression(node, scope, true);
  return placed(node, () => value(asCondition(condition), typeOf("bool"), [condition]));
}

/** Runs `body`; an error of it that has no place gets the node's. */
export function placed<T>(node: Expression, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof HogqlError && error.start === null && node.start !== undefined) {
      throw new HogqlError(error.message, node.start.offset, node.end?.offset);
    }
    throw error;
  }
}

function compile(node: Expression, scope: Scope, isPositive: boolean): Value {
  const { context } = scope.compilation;
  switch (node.node) {
    case "Constant":
      return literal(constantOf(node.value));
    case "Field":
      return scope.resolve(node);
    case "Alias":
      return compileExpression(node.expr, scope, isPositive);
    case "Call":
      return compileCall(node, scope, isPositive);
    case "CompareOperation":
      return compileCompare(node, scope, isPositive);
    case "IsDistinctFrom": {
      const [left, right] = [compileExpression(node.left, scope), compileExpression(node.right, scope)];
      return compare(node.negated ? "==" : "!=", left, right, false, context);
    }
    case "BetweenExpr": {
      const [expr, low, high] = [node.expr, node.low, node.high].map((part) => compileExpression(part, scope));
      return between(expr!, low!, high!, node.negated, isPositive, context);
    }
    case "And":
    case "Or":
      return compileLogic(node, scope, isPositive);
    case "Not": {
      const inner = compileExpression(node.expr, scope);
      return value(sql`(NOT ${asCondition(inner)})`, typeOf("bool", inner.type.nullable), [inner]);
    }
    case "ArithmeticOperation":
      return compileArithmetic(node, scope);
    case "Array": {
      const { values, type } = unify(
        node.exprs.map((item) => compileExpression(item, scope)),
        context,
      );
      const list = sql`[${join(
        values.map((item) => item.sql),
        ", ",
      )}]`;
      return value(list, { kind: "array", nullable: false, element: type }, values);
    }
    case "Tuple": {
      const members = node.exprs.map((item) => compileExpression(item, scope));
      return {
        ...value(
          sql`row(${join(
            members.map((item) => item.sql),
            ", ",
          )})`,
          typeOf("tuple"),
          members,
        ),
        members,
      };
    }
    case "ArrayAccess":
      return compileAccess(node, scope);
    case "TupleAccess": {
      if (node.index === 0) throw new HogqlError("SQL indexes start from one, not from zero. E.g: array.1");
      return readInto(compileExpression(node.tuple, scope), [node.index], node);
    }
    case "TypeCast":
    case "TryCast":
      return compileCast(node, scope);
    case "Placeholder":
      return compilePlaceholder(node.expr, scope);
    case "SelectQuery":
    case "SelectSetQuery": {
      const query = compileQuery(node, scope.compilation, scope.ctes);
      if (query.columns.length !== 1) throw new HogqlError("A subquery in an expression must have one column.");
      return value(sql`(${query.sql})`, { ...query.columns[0]!.type, nullable: true });
    }
    default:
      throw new HogqlError(`${(node as { node: string }).node} is not supported yet.`);
  }
}

/** The value of a literal. */
export function constantOf(constant: unknown): string | number | boolean | null {
  if (constant === null || typeof constant === "string" || typeof constant === "boolean") return constant;
  if (typeof constant === "number") return constant;
  // The parser's form of infinity and NaN.
  if (typeof constant === "object" && "value" in constant) return Number(constant.value);
  throw new HogqlError("This literal is not supported.");
}

function compileLogic(node: Logic, scope: Scope, isPositive: boolean): Value {
  const parts = node.exprs.map((part) => compileExpression(part, scope, isPositive));
  const joined = join(parts.map(asCondition), node.node === "And" ? " AND " : " OR ");
  return value(
    sql`(${joined})`,
    typeOf(
      "bool",
      parts.some((part) => part.type.nullable),
    ),
    parts,
  );
}

function compileCompare(node: Compare, scope: Scope, isPositive: boolean): Value {
  const { context } = scope.compilation;
  if (node.op === "in" || node.op === "not in") return compileIn(node, scope, isPositive);
  const [left, right] = [compileExpression(node.left, scope), compileExpression(node.right, scope)];
  return compare(node.op, left, right, isPositive, context);
}

function compileIn(node: Compare, scope: Scope, isPositive: boolean): Value {
  const { compilation } = scope;
  const isNegated = node.op === "not in";
  const left = compileExpression(node.left, scope);
  const { right } = node;
  if (right.node === "Tuple" || right.node === "Array") {
    const members = right.exprs.map((member) => compileExpression(member, scope));
    return inList(left, members, isNegated, isPositive, compilation.context);
  }
  if (right.node === "Constant") {
    return inList(left, [compileExpression(right, scope)], isNegated, isPositive, compilation.context);
  }
  const query = queryOf(right, scope);
  if (query.columns.length !== 1) throw new HogqlError("A subquery of IN must have one column.");
  const [a, b] = sameKind(left, value(sql`c0`, query.columns[0]!.type), scope);
  const found = sql`(${a.sql} IN (SELECT ${b.sql} FROM (${query.sql})))`;
  const exact = isPositive && !isNegated ? found : sql`coalesce(${found}, FALSE)`;
  return value(isNegated ? sql`(NOT ${exact})` : exact, typeOf("bool"), [left]);
}

/** The right side of IN: a subquery, or the name of one of WITH. */
function queryOf(node: Expression, scope: Scope): CompiledQuery {
  if (node.node === "SelectQuery" || node.node === "SelectSetQuery") {
    return compileQuery(node, scope.compilation, scope.ctes);
  }
  if (node.node === "Field" && node.chain.length === 1 && scope.ctes.has(String(node.chain[0]))) {
    const all: Select = {
      node: "SelectQuery",
      select: [{ node: "Field", chain: ["*"] }],
      select_from: { node: "JoinExpr", table: node },
    };
    return compileQuery(all, scope.compilation, scope.ctes);
  }
  throw new HogqlError("The right side of IN must be a list or a subquery.");
}

function sameKind(left: Value, right: Value, scope: Scope): [Value, Value] {
  if (left.type.kind === right.type.kind) return [left, right];
  const { context } = scope.compilation;
  if (left.type.kind === "uuid" || right.type.kind === "uuid") return [asText(left, context), asText(right, context)];
  const [a, b] = unify([left, right], context).values;
  return [a!, b!];
}

const ARITHMETIC = {
  "+": (a: Value, b: Value) => sql`(${a.sql} + ${b.sql})`,
  "-": (a: Value, b: Value) => sql`(${a.sql} - ${b.sql})`,
  "*": (a: Value, b: Value) => sql`(${a.sql} * ${b.sql})`,
  "/": (a: Value, b: Value) => sql`(CAST(${a.sql} AS DOUBLE) / CAST(${b.sql} AS DOUBLE))`,
  "%": (a: Value, b: Value) => sql`(${a.sql} % ${b.sql})`,
};

function compileArithmetic(node: Arithmetic, scope: Scope): Value {
  const { context } = scope.compilation;
  const [left, right] = [compileExpression(node.left, scope), compileExpression(node.right, scope)];
  const sign = node.op === "+" ? 1 : -1;
  if (node.op === "+" || node.op === "-") {
    if (right.interval !== undefined) return shift(left, right, sign, context);
    if (left.interval !== undefined && node.op === "+") return shift(right, left, 1, context);
    if (isTime(left) && isTime(right) && node.op === "-") {
      // As ClickHouse: seconds between instants, days between days.
      const areDays = left.type.kind === "date" && right.type.kind === "date";
      const [a, b] = areDays
        ? [asInt(left), asInt(right)]
        : [asDatetime(left, context), asDatetime(right, context)].map(asInt);
      return value(sql`(${a!.sql} - ${b!.sql})`, typeOf("int", left.type.nullable || right.type.nullable), [
        left,
        right,
      ]);
    }
  }
  const [a, b] = ([left, right] as const).map((side) => {
    if (isTime(side))
      throw new HogqlError(`Cannot use ${describe(side.type)} in \`${node.op}\`: use an interval or dateDiff.`);
    return asNumeric(side);
  });
  const nullable = a!.type.nullable || b!.type.nullable || node.op === "%";
  const isFloat = node.op === "/" || a!.type.kind === "float" || b!.type.kind === "float";
  return value(ARITHMETIC[node.op](a!, b!), typeOf(isFloat ? "float" : "int", nullable), [left, right]);
}

const isTime = (side: Value): boolean => side.type.kind === "datetime" || side.type.kind === "date";

function compileAccess(node: ArrayAccess, scope: Scope): Value {
  const array = compileExpression(node.array, scope);
  const key = compileExpression(node.property, scope);
  if (key.constant === 0) throw new HogqlError("SQL indexes start from one, not from zero. E.g: array[1]");
  if (array.type.kind === "array") {
    const element = { ...(array.type.element ?? typeOf("null")), nullable: true };
    return value(sql`list_extract(${array.sql}, ${asInt(key).sql})`, element, [array, key]);
  }
  if (typeof key.constant !== "string" && !(typeof key.constant === "number" && key.constant > 0)) {
    throw new HogqlError("A key in brackets must be a string or number literal.");
  }
  return readInto(array, [key.constant], node);
}

function compileCast(node: Cast, scope: Scope): Value {
  const { context } = scope.compilation;
  const from = compileExpression(node.expr, scope);
  switch (node.type_name.toLowerCase().replace(/\(.*$/, "")) {
    case "int":
    case "integer":
    case "bigint":
    case "int64":
      return asInt(from);
    case "float":
    case "float64":
    case "double":
    case "real":
      return asFloat(from);
    case "string":
    case "text":
    case "varchar":
      return asText(from, context);
    case "bool":
    case "boolean":
      return asBool(from);
    case "date":
      return asDate(from, context);
    case "datetime":
    case "timestamp":
      return asDatetime(from, context);
    case "uuid":
      return asUuid(from);
    default:
      throw new HogqlError(`Unsupported type cast to ${node.type_name}`);
  }
}

function compilePlaceholder(expr: Expression, scope: Scope): Value {
  const key = expr.node === "Field" ? expr.chain.join(".") : "";
  const known = scope.compilation.placeholders.get(key);
  if (known === undefined) throw new HogqlError(`Unresolved placeholder: {${key}}`);
  return known.compile(scope);
}
