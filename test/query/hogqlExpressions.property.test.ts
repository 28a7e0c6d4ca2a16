import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { hogql } from "./support.ts";

setDefaultTimeout(CASES_MS);

// Random expressions over random rows, against an evaluator written from docs/queries.md alone: three-valued logic, and
// comparisons that NULL never makes NULL.

type Cell = number | string | boolean | null;
type Row = Record<Column, Cell>;
type Kind = "number" | "text" | "truth";
type Column = "a" | "b" | "s" | "t" | "p" | "q";

interface Expr {
  kind: Kind;
  text: string;
  of: (row: Row) => Cell;
}

const COLUMNS: Record<Kind, Column[]> = { number: ["a", "b"], text: ["s", "t"], truth: ["p", "q"] };

const literalText = (value: Cell): string => (typeof value === "string" ? `'${value}'` : String(value));

const LITERALS: Record<Kind, fc.Arbitrary<Cell>> = {
  number: fc.option(fc.integer({ min: -3, max: 3 })),
  text: fc.option(fc.constantFrom("", "x", "xy", "Y")),
  truth: fc.option(fc.boolean()),
};

function leaf(kind: Kind): fc.Arbitrary<Expr> {
  const columns = fc
    .constantFrom(...COLUMNS[kind])
    .map((column): Expr => ({ kind, text: column, of: (row) => row[column] }));
  // A bare NULL has no kind, so it is written as a column that is none.
  const literals = LITERALS[kind]
    .filter((value) => value !== null)
    .map((value): Expr => ({ kind, text: literalText(value), of: () => value }));
  return fc.oneof({ weight: 3, arbitrary: columns }, literals);
}

const isNull = (value: Cell): value is null => value === null;
/** With a NULL on one side or both. */
const compared =
  (one: boolean, both: boolean, known: (x: Exclude<Cell, null>, y: Exclude<Cell, null>) => boolean) =>
  (x: Cell, y: Cell): boolean =>
    isNull(x) || isNull(y) ? (isNull(x) && isNull(y) ? both : one) : known(x, y);

const COMPARISONS: [string, (x: Cell, y: Cell) => boolean][] = [
  ["=", compared(false, true, (x, y) => x === y)],
  ["!=", compared(true, false, (x, y) => x !== y)],
  ["<", compared(false, false, (x, y) => x < y)],
  [">=", compared(false, false, (x, y) => x >= y)],
];
const PATTERNS: [string, (x: Cell, y: Cell) => boolean][] = [
  ["like", compared(false, true, (x, y) => x === y)],
  ["not ilike", compared(true, false, (x, y) => String(x).toLowerCase() !== String(y).toLowerCase())],
];

const and = (x: Cell, y: Cell): Cell => (x === false || y === false ? false : isNull(x) || isNull(y) ? null : true);
const or = (x: Cell, y: Cell): Cell => (x === true || y === true ? true : isNull(x) || isNull(y) ? null : false);

function twoOf(kind: Kind, depth: number): fc.Arbitrary<[Expr, Expr]> {
  return fc.tuple(expression(kind, depth), expression(kind, depth));
}

function truth(depth: number): fc.Arbitrary<Expr> {
  const make = (text: string, of: Expr["of"]): Expr => ({ kind: "truth", text: `(${text})`, of });
  const comparison = (kind: Kind) =>
    fc
      .tuple(fc.constantFrom(...COMPARISONS), twoOf(kind, depth))
      .map(([[name, apply], [x, y]]) => make(`${x.text} ${name} ${y.text}`, (row) => apply(x.of(row), y.of(row))));
  return fc.oneof(
    comparison("number"),
    comparison("text"),
    comparison("truth"),
    fc
      .tuple(fc.constantFrom(...PATTERNS), twoOf("text", depth))
      .map(([[name, apply], [x, y]]) => make(`${x.text} ${name} ${y.text}`, (row) => apply(x.of(row), y.of(row)))),
    twoOf("truth", depth).map(([x, y]) => make(`${x.text} and ${y.text}`, (row) => and(x.of(row), y.of(row)))),
    twoOf("truth", depth).map(([x, y]) => make(`${x.text} or ${y.text}`, (row) => or(x.of(row), y.of(row)))),
    expression("truth", depth).map((x) =>
      make(`not ${x.text}`, (row) => {
        const value = x.of(row);
        return isNull(value) ? null : !value;
      }),
    ),
    expression("number", depth).map((x) => make(`${x.text} is null`, (row) => isNull(x.of(row)))),
    fc
      .tuple(expression("number", depth), fc.array(LITERALS.number, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([x, list, isNegated]) =>
        make(
          `${x.text} ${isNegated ? "not in" : "in"} (${list.map(literalText).join(", ")}, null)`,
          (row) => [...list, null].includes(x.of(row) as number | null) !== isNegated,
        ),
      ),
    fc
      .tuple(expression("number", depth), expression("number", depth), expression("number", depth), fc.boolean())
      .map(([x, low, high, isNegated]) =>
        make(`${x.text} ${isNegated ? "not " : ""}between ${low.text} and ${high.text}`, (row) => {
          const [value, from, to] = [x.of(row), low.of(row), high.of(row)];
          if (isNull(value) || isNull(from) || isNull(to)) return false;
          return (value >= from && value <= to) !== isNegated;
        }),
      ),
  );
}

function number(depth: number): fc.Arbitrary<Expr> {
  const operators: [string, (x: number, y: number) => number][] = [
    ["+", (x, y) => x + y],
    ["-", (x, y) => x - y],
    ["*", (x, y) => x * y],
  ];
  return fc.oneof(
    fc.tuple(fc.constantFrom(...operators), twoOf("number", depth)).map(
      ([[name, apply], [x, y]]): Expr => ({
        kind: "number",
        text: `(${x.text} ${name} ${y.text})`,
        of: (row) => {
          const [left, right] = [x.of(row), y.of(row)];
          return typeof left === "number" && typeof right === "number" ? apply(left, right) + 0 : null;
        },
      }),
    ),
    expression("text", depth).map(
      (x): Expr => ({
        kind: "number",
        text: `length(${x.text})`,
        of: (row) => {
          const value = x.of(row);
          return typeof value === "string" ? value.length : null;
        },
      }),
    ),
  );
}

function text(depth: number): fc.Arbitrary<Expr> {
  return twoOf("text", depth).map(([x, y]) => ({
    kind: "text",
    text: `concat(${x.text}, ${y.text})`,
    of: (row) => {
      const [left, right] = [x.of(row), y.of(row)];
      return isNull(left) || isNull(right) ? null : `${left}${right}`;
    },
  }));
}

/** Choices give any kind. */
function choice(kind: Kind, depth: number): fc.Arbitrary<Expr> {
  return fc.oneof(
    fc.tuple(expression("truth", depth), twoOf(kind, depth)).map(
      ([condition, [x, y]]): Expr => ({
        kind,
        text: `if(${condition.text}, ${x.text}, ${y.text})`,
        of: (row) => (condition.of(row) === true ? x.of(row) : y.of(row)),
      }),
    ),
    fc.tuple(expression("truth", depth), expression("truth", depth), twoOf(kind, depth), expression(kind, depth)).map(
      ([first, second, [x, y], last]): Expr => ({
        kind,
        text: `multiIf(${first.text}, ${x.text}, ${second.text}, ${y.text}, ${last.text})`,
        of: (row) => (first.of(row) === true ? x.of(row) : second.of(row) === true ? y.of(row) : last.of(row)),
      }),
    ),
    twoOf(kind, depth).map(
      ([x, y]): Expr => ({ kind, text: `ifNull(${x.text}, ${y.text})`, of: (row) => x.of(row) ?? y.of(row) }),
    ),
    twoOf(kind, depth).map(
      ([x, y]): Expr => ({
        kind,
        text: `nullIf(${x.text}, ${y.text})`,
        of: (row) => (x.of(row) === y.of(row) ? null : x.of(row)),
      }),
    ),
  );
}

function expression(kind: Kind, depth: number): fc.Arbitrary<Expr> {
  if (depth === 0) return leaf(kind);
  const made = { number, text, truth }[kind](depth - 1);
  return fc.oneof(leaf(kind), { weight: 3, arbitrary: made }, choice(kind, depth - 1));
}

const row: fc.Arbitrary<Row> = fc.record({
  a: LITERALS.number,
  b: LITERALS.number,
  s: LITERALS.text,
  t: LITERALS.text,
  p: LITERALS.truth,
  q: LITERALS.truth,
});

/** The first two rows tell the engine the kinds, and that each can be NULL. */
const FIRST: Row[] = [
  { a: 1, b: 2, s: "x", t: "y", p: true, q: false },
  { a: null, b: null, s: null, t: null, p: null, q: null },
];

const lake = await MemoryLake.open();
afterAll(() => lake.close());

test("compiled expressions equal a small evaluator, shown and as conditions", async () => {
  const anyKind = fc.constantFrom<Kind>("number", "text", "truth").chain((kind) => expression(kind, 2));
  const cases = fc.record({
    rows: fc.array(row, { maxLength: 6 }).map((rows) => [...FIRST, ...rows]),
    shown: fc.array(anyKind, { minLength: 1, maxLength: 4 }),
    condition: expression("truth", 2),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, shown, condition }) => {
      const lines = rows.map((cells, i) => `(${[i, ...Object.values(cells).map(literalText)].join(", ")})`);
      const table = `(values ${lines.join(", ")}) as v(i, a, b, s, t, p, q)`;
      const list = shown.map((one) => one.text).join(", ");
      const answer = await hogql(lake, `select ${list} from ${table} order by i`);
      expect(answer.results).toEqual(rows.map((cells) => shown.map((one) => one.of(cells))));
      const chosen = await hogql(lake, `select i from ${table} where ${condition.text} order by i`);
      const expected = rows.flatMap((cells, i) => (condition.of(cells) === true ? [[i]] : []));
      expect(chosen.results).toEqual(expected);
    }),
    { numRuns: runs(40) },
  );
});
