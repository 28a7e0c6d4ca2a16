import type { FunnelProgram } from "../../../walk/mod.ts";
import { errorAt, HogqlError } from "../../shape/errors.ts";
import { constant, list } from "./build.ts";
import { type Expression, isWhole, type Join, type Query } from "./tree.ts";

/** The table function of a funnel's walk (docs/queries.md#walks). */
export const WALK_FUNNEL = "walkFunnel";

const MAX_STEPS = 30;
const MAX_EXCLUSIONS = 30;
const MAX_BUCKETS = 10_000;
/** A hundred years. */
const MAX_WINDOW_SECONDS = 100 * 366 * 86_400;

const ORDERS = ["ordered", "strict", "unordered"] as const;
const TOUCHES = ["first", "last", "all"] as const;

/** A piece of FROM: what the walk of a program over these rows finds. */
export function walked(rows: Query, program: FunnelProgram, alias?: string): Join {
  return {
    node: "JoinExpr",
    table: { node: "Field", chain: [WALK_FUNNEL] },
    table_args: [rows, ...argsOf(program)],
    ...(alias !== undefined && { alias }),
  };
}

function argsOf(program: FunnelProgram): Expression[] {
  const { attribution, bucketStartsMs } = program;
  const optional = Array.from({ length: program.steps }, (_, step) => step).filter(
    (step) => ((program.optional >> step) & 1) === 1,
  );
  const pairs = program.exclusions.map(({ from, to }) => list(constant(from + 1), constant(to + 1)));
  return [
    constant(program.order),
    constant(program.steps),
    constant(program.windowMs / 1000),
    list(...optional.map((step) => constant(step + 1))),
    list(...pairs),
    constant(typeof attribution === "number" ? attribution + 1 : attribution),
    bucketStartsMs === null ? constant(null) : list(...bucketStartsMs.map(constant)),
  ];
}

/**
 * Reads the arguments behind the rows: the order, how many steps, the window in seconds; then, where given, the
 * optional steps (counted from 1), pairs of steps between which each exclusion is, which value counts (`first`, `last`, `all`, that
 * of a step, NULL), and where buckets begin in epoch milliseconds. Errors: HogqlError.
 */
export function readProgram(args: readonly Expression[]): FunnelProgram {
  const [order, steps, window, optional, exclusions, attribution, buckets, more] = args;
  if (order === undefined || steps === undefined || window === undefined) {
    throw new HogqlError(`\`${WALK_FUNNEL}\` needs its rows, an order, a number of steps and a window in seconds.`);
  }
  if (more !== undefined) throw errorAt(more, `\`${WALK_FUNNEL}\` takes at most 8 arguments.`);
  const count = wholeOf(steps, { min: 1, max: MAX_STEPS });
  const program: FunnelProgram = {
    kind: "funnel",
    steps: count,
    order: oneOf(order, ORDERS),
    windowMs: Math.round(secondsOf(window) * 1000),
    optional: itemsOf(optional, count).reduce(
      (mask, item) => mask | (1 << (wholeOf(item, { min: 2, max: count }) - 1)),
      0,
    ),
    exclusions: itemsOf(exclusions, MAX_EXCLUSIONS).map((pair) => exclusionOf(pair, count)),
    attribution: attributionOf(attribution, count),
    bucketStartsMs: bucketsOf(buckets),
  };
  checkUnordered(program, args);
  return program;
}

/** Steps that come in any order have no place between them, and none that could be left out. */
function checkUnordered(
  { order, optional, exclusions, attribution, steps }: FunnelProgram,
  args: readonly Expression[],
) {
  if (order !== "unordered") return;
  if (optional !== 0) throw errorAt(args[3], "Steps in any order cannot be optional.");
  if (exclusions.some(({ from, to }) => from !== 0 || to !== steps - 1)) {
    throw errorAt(args[4], "With steps in any order, exclusions are between the first step and the last.");
  }
  if (typeof attribution === "number" && attribution !== 0) {
    throw errorAt(args[5], "With steps in any order, only the first one can give the value.");
  }
}

function exclusionOf(pair: Expression, count: number): { from: number; to: number } {
  const [first, second, ...more] = itemsOf(pair, 2);
  if (first === undefined || second === undefined || more.length > 0) {
    throw errorAt(pair, "An exclusion is a pair of steps: [1, 2].");
  }
  const from = wholeOf(first, { min: 1, max: count - 1 }) - 1;
  return { from, to: wholeOf(second, { min: from + 2, max: count }) - 1 };
}

function attributionOf(node: Expression | undefined, count: number): FunnelProgram["attribution"] {
  const value = node === undefined ? null : constantOf(node);
  if (value === null) return null;
  return typeof value === "number" ? wholeOf(node!, { min: 1, max: count }) - 1 : oneOf(node!, TOUCHES);
}

function bucketsOf(node: Expression | undefined): number[] | null {
  if (node === undefined || (node.node === "Constant" && node.value === null)) return null;
  const starts = itemsOf(node, MAX_BUCKETS).map((item) => wholeOf(item, { min: 0, max: Number.MAX_SAFE_INTEGER }));
  if (starts.length === 0 || starts.some((start, i) => i > 0 && start <= starts[i - 1]!)) {
    throw errorAt(node, "Buckets begin at ascending times.");
  }
  return starts;
}

function secondsOf(node: Expression): number {
  const value = constantOf(node);
  if (typeof value === "number" && value > 0 && value <= MAX_WINDOW_SECONDS) return value;
  throw errorAt(node, `The window is a number of seconds, at most ${MAX_WINDOW_SECONDS}.`);
}

function wholeOf(node: Expression, { min, max }: { min: number; max: number }): number {
  const value = constantOf(node);
  if (isWhole(value) && value >= min && value <= max) return value;
  throw errorAt(node, `This must be a whole number from ${min} to ${max}.`);
}

function oneOf<T extends string>(node: Expression, names: readonly T[]): T {
  const value = constantOf(node);
  const found = names.find((name) => name === value);
  if (found === undefined) throw errorAt(node, `This must be one of ${names.map((name) => `'${name}'`).join(", ")}.`);
  return found;
}

function itemsOf(node: Expression | undefined, max: number): readonly Expression[] {
  if (node === undefined) return [];
  if (node.node !== "Array") throw errorAt(node, "This must be a list in brackets.");
  if (node.exprs.length > max) throw errorAt(node, `This list has at most ${max} members.`);
  return node.exprs;
}

function constantOf(node: Expression): unknown {
  if (node.node !== "Constant") throw errorAt(node, `\`${WALK_FUNNEL}\` takes constants behind its rows.`);
  return node.value;
}
