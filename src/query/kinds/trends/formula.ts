import { invalidQuery } from "../../shape/errors.ts";

/** A formula over series: `A` is the first one. */
export type Formula =
  | { kind: "number"; value: number }
  | { kind: "series"; index: number }
  | { kind: "negative"; of: Formula }
  | { kind: "operation"; operator: "+" | "-" | "*" | "/"; left: Formula; right: Formula };

const MAX_LENGTH = 2000;
const MAX_DEPTH = 50;

/**
 * Reads a formula: letters (A to Z, either case), numbers, `+ - * /`, signs and parentheses.
 * Errors: TerminalError `invalid_query` with the place in the text.
 */
export function parseFormula(text: string, seriesCount: number, place: string): Formula {
  return new FormulaParser(text, seriesCount, place).parse();
}

class FormulaParser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly seriesCount: number,
    private readonly place: string,
  ) {}

  parse(): Formula {
    if (this.text.length > MAX_LENGTH) throw invalidQuery(this.place, `longer than ${MAX_LENGTH} characters`);
    const formula = this.sum();
    if (this.peek() !== "") throw this.unexpected();
    return formula;
  }

  private sum(): Formula {
    return this.chain(["+", "-"], () => this.product());
  }

  private product(): Formula {
    return this.chain(["*", "/"], () => this.signed());
  }

  private chain(operators: readonly ("+" | "-" | "*" | "/")[], next: () => Formula): Formula {
    let left = next();
    for (;;) {
      const operator = operators.find((one) => one === this.peek());
      if (operator === undefined) return left;
      this.at++;
      left = { kind: "operation", operator, left, right: next() };
    }
  }

  private signed(): Formula {
    if (++this.depth > MAX_DEPTH) throw invalidQuery(this.place, `nests more than ${MAX_DEPTH} levels deep`);
    const formula = this.unary();
    this.depth--;
    return formula;
  }

  private unary(): Formula {
    const sign = this.peek();
    if (sign !== "-" && sign !== "+") return this.operand();
    this.at++;
    const of = this.signed();
    return sign === "-" ? { kind: "negative", of } : of;
  }

  private operand(): Formula {
    if (this.peek() === "(") {
      this.at++;
      const inner = this.sum();
      if (this.peek() !== ")") throw this.unexpected();
      this.at++;
      return inner;
    }
    const number = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?(?![a-z])/i.exec(this.text.slice(this.at));
    if (number !== null) {
      this.at += number[0].length;
      return { kind: "number", value: Number(number[0]) };
    }
    const letter = /^[a-z](?![a-z0-9_])/i.exec(this.text.slice(this.at));
    if (letter === null) throw this.unexpected();
    const index = letter[0].toUpperCase().charCodeAt(0) - "A".charCodeAt(0);
    if (index >= this.seriesCount) throw invalidQuery(this.place, `there is no series ${letter[0].toUpperCase()}`);
    this.at++;
    return { kind: "series", index };
  }

  /** The next character that is no space; "" at the end. */
  private peek(): string {
    while (/\s/.test(this.text.charAt(this.at))) this.at++;
    return this.text.charAt(this.at);
  }

  private unexpected() {
    const found = this.peek() === "" ? "the end" : `"${this.peek()}"`;
    return invalidQuery(this.place, `unexpected ${found} at character ${this.at + 1}`);
  }
}

/**
 * The value of a formula where the series have these values. What is divided by zero is zero
 * (docs/queries.md#formulas-and-displays).
 */
export function evaluate(formula: Formula, series: readonly number[]): number {
  switch (formula.kind) {
    case "number":
      return formula.value;
    case "series":
      return series[formula.index]!;
    case "negative":
      return 0 - evaluate(formula.of, series);
    case "operation":
      return operate(formula.operator, evaluate(formula.left, series), evaluate(formula.right, series));
  }
}

function operate(operator: "+" | "-" | "*" | "/", left: number, right: number): number {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  return right === 0 ? 0 : left / right;
}
